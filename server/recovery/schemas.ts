import { z } from "zod";
import { malformed } from "../errors.ts";
import { DocumentId } from "../proofs/index.ts";
import { inQuery, pageLimit, Sha256 } from "../http/fields.ts";

const MAX_JSON_DOCUMENTS = 100_000;
const MAX_PAGE = 10_000;
const USUAL_PAGE = 1_000;
const END_OF_DAY = "T23:59:59Z";

/** A time: an ISO date, which means its end in UTC, an ISO date-time with its zone, or Unix seconds. */
const Moment = z
  .union([z.int().min(0, "is before 1970"), z.string()])
  .transform((value, context): number => {
    const seconds = typeof value === "number" ? value : secondsOf(value);
    if (seconds === undefined || seconds < 0) {
      context.addIssue({
        code: "custom",
        message: "is not an ISO date, an ISO date-time with its zone, or Unix seconds",
      });
      return z.NEVER;
    }
    return seconds;
  })
  .meta({
    id: "Moment",
    description: "An ISO date, which means its end in UTC, an ISO date-time with its zone, or Unix seconds.",
    examples: ["2026-11-21"],
  });

function secondsOf(text: string): number | undefined {
  // Fewer digits are a year, or a date without its hyphens.
  if (/^\d{9,12}$/.test(text)) return Number(text);
  const [, day, time] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  // A day beyond the end of its month would roll over to the next month.
  const midnight = Date.parse(day);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, day.length) !== day) return undefined;
  const milliseconds = Date.parse(`${day}${time ?? END_OF_DAY}`);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}

/** A row of `POST /api/v1/recovery/verify`. */
export const RestoredRow = z
  .object({ document_id: DocumentId, hash: Sha256 })
  .transform(({ document_id, hash }) => ({ documentId: document_id, hash }))
  .meta({ id: "RestoredDocument", description: "A restored document, by its hash." });

/** The JSON body of `POST /api/v1/recovery/verify`. */
export const VerifyBody = z
  .object({
    as_of: Moment.optional(),
    documents: z
      .array(RestoredRow)
      .min(1, "has no document")
      .max(MAX_JSON_DOCUMENTS, `has more than ${MAX_JSON_DOCUMENTS} documents; send them as NDJSON`),
  })
  .meta({
    id: "RestoredDocuments",
    description: "Restored documents, to compare with the records up to a time.",
  });

/** The query of `POST /api/v1/recovery/verify` with an NDJSON body. */
export const VerifyQuery = z.object({ as_of: Moment.optional() });

/**
 * Returns the time of the comparison, which the body or the query can specify.
 * @throws SealbookError `malformed` when both specify different times
 */
export function requestedTime(
  query: z.output<typeof VerifyQuery>,
  body: z.output<typeof VerifyBody>,
): number | undefined {
  if (query.as_of !== undefined && body.as_of !== undefined && query.as_of !== body.as_of) {
    throw malformed("as_of", "differs in the query and in the body; send one of them");
  }
  return body.as_of ?? query.as_of;
}

const limit = pageLimit(
  MAX_PAGE,
  USUAL_PAGE,
  "Maximum number of entries; an NDJSON response without a limit has all entries.",
);
const cursor = z
  .string()
  .regex(/^\d{1,15}$/, "is not a cursor of an earlier response")
  .transform(Number);
const ofCursor = { ...inQuery(0, 999_999_999_999_999), description: "`next` of the previous page." };

/** `GET /api/v1/recovery/inventory` */
export const InventoryQuery = z.object({
  date: Moment.optional(),
  limit,
  cursor: cursor.default(0).meta(ofCursor),
});

/** `GET /api/v1/recovery/gap` */
export const GapQuery = z
  .object({
    verification_id: z
      .uuid("is not the id of a verification")
      .optional()
      .meta({ description: "Default: the newest comparison. Not with `against=journal`." }),
    against: z.enum(["restored", "journal"]).default("restored").meta({
      description:
        "`restored`: recorded documents missing from the restored data. `journal`: anchors missing in the journal.",
    }),
    limit,
    cursor: cursor.optional().meta(ofCursor),
  })
  .refine(({ against, verification_id }) => against !== "journal" || verification_id === undefined, {
    path: ["verification_id"],
    message: "is not allowed with against=journal, which concerns no comparison",
  });
