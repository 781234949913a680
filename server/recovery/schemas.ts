import { z } from "zod";
import { malformed } from "../errors.ts";
import { DocumentId } from "../proofs/index.ts";
import { inQuery, pageLimit, Sha256 } from "../http/fields.ts";

const MAX_PAGE = 100;
const END_OF_DAY = "T23:59:59Z";

const YEAR = "(?:19[7-9][0-9]|[2-9][0-9]{3})";
const LEAP_YEAR = "(?:19(?:[79][26]|8[048])|(?:[2468][048]|[3579][26])00|[2-9][0-9](?:0[48]|[2468][048]|[13579][26]))";
const DAY_OF_YEAR =
  "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))";
const TIME = "T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]+)?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
/** Fewer digits are a year, or a date without its hyphens. */
const SECONDS = "[0-9]{9,12}";
const MOMENT = new RegExp(`^(?:${SECONDS}|(?:${YEAR}-${DAY_OF_YEAR}|${LEAP_YEAR}-02-29)(?:${TIME})?)$`);
const NO_MOMENT = "is not an ISO date, an ISO date-time with its zone, or Unix seconds";
const DESCRIPTION =
  "An ISO date from 1970, which means its end in UTC, an ISO date-time with its zone, or Unix seconds.";

/** A time in a query. */
const MomentText = z
  .string(NO_MOMENT)
  .regex(MOMENT, NO_MOMENT)
  .transform(secondsOf)
  .meta({ description: DESCRIPTION, examples: ["2026-11-21"] });

/** A time in a JSON body. */
const Moment = z
  .union([z.int().min(0), MomentText], NO_MOMENT)
  .meta({ id: "Moment", description: DESCRIPTION, examples: ["2026-11-21"] });

function secondsOf(text: string): number {
  if (!text.includes("-")) return Number(text);
  // The first hours of 1970 in a zone to the east are before 1970 in UTC.
  return Math.max(0, Math.floor(Date.parse(text.includes("T") ? text : `${text}${END_OF_DAY}`) / 1000));
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
    documents: z.array(RestoredRow).min(1, "has no document"),
  })
  .meta({
    id: "RestoredDocuments",
    description: "Restored documents, to compare with the records up to a time.",
  });

/** The query of `POST /api/v1/recovery/verify` with an NDJSON body. */
export const VerifyQuery = z.object({ as_of: MomentText.optional() });

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
  MAX_PAGE,
  "Maximum number of entries; an NDJSON response without a limit has all entries.",
);
const cursor = z
  .string()
  .regex(/^\d{1,15}$/, "is not a cursor of an earlier response")
  .transform(Number);
const ofCursor = { ...inQuery(0, 999_999_999_999_999), description: "`next` of the previous page." };

/** `GET /api/v1/recovery/inventory` */
export const InventoryQuery = z.object({
  date: MomentText.optional(),
  limit,
  cursor: cursor.default(0).meta(ofCursor),
});

/** `GET /api/v1/recovery/gap` */
export const GapQuery = z
  .object({
    verification_id: z
      .uuid("is not the id of a verification")
      .optional()
      .meta({ description: "Default: the caller's newest comparison that is kept. Not with `against=journal`." }),
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
