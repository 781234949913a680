import { z } from "zod";
import { DocumentId, Sha256 } from "./schemas.ts";

const MAX_JSON_DOCUMENTS = 100_000;
const MAX_PAGE = 10_000;
const USUAL_PAGE = 1_000;
const END_OF_DAY = "T23:59:59Z";

/** A moment: an ISO date, which means its end in UTC, an ISO date-time with its zone, or Unix seconds. */
const Moment = z.union([z.int().min(0, "is before 1970"), z.string()]).transform((value, context): number => {
  const seconds = typeof value === "number" ? value : secondsOf(value);
  if (seconds === undefined || seconds < 0) {
    context.addIssue({ code: "custom", message: "is not an ISO date, an ISO date-time with its zone, or Unix seconds" });
    return z.NEVER;
  }
  return seconds;
});

function secondsOf(text: string): number | undefined {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  // A day that no month has would roll over to the next one.
  const midnight = Date.parse(day);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, day.length) !== day) return undefined;
  const milliseconds = Date.parse(`${day}${time ?? END_OF_DAY}`);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}

/** A row of `POST /api/v1/recovery/verify`. */
export const RestoredRow = z
  .object({ document_id: DocumentId, hash: Sha256 })
  .transform(({ document_id, hash }) => ({ documentId: document_id, hash }));

/** Its JSON body. */
export const VerifyBody = z.object({
  as_of: Moment.optional(),
  documents: z
    .array(RestoredRow)
    .min(1, "has no document")
    .max(MAX_JSON_DOCUMENTS, `has more than ${MAX_JSON_DOCUMENTS} documents; send them as NDJSON`),
});

/** Its query, with an NDJSON body. */
export const VerifyQuestion = z.object({ as_of: Moment.optional() });

const limit = z
  .string()
  .regex(/^\d{1,5}$/, "is not a number")
  .transform(Number)
  .refine((value) => value >= 1 && value <= MAX_PAGE, `is not between 1 and ${MAX_PAGE}`);
const cursor = z.string().regex(/^\d{1,15}$/, "is not a cursor that an answer gave").transform(Number);

/** `GET /api/v1/recovery/inventory` */
export const InventoryQuestion = z.object({
  date: Moment.optional(),
  limit: limit.default(USUAL_PAGE),
  cursor: cursor.default(0),
});

/** `GET /api/v1/recovery/gap` */
export const GapQuestion = z.object({
  verification_id: z.uuid("is not the id of a verification").optional(),
  against: z.enum(["restored", "journal"]).default("restored"),
  limit: limit.default(USUAL_PAGE),
  cursor: cursor.optional(),
});
