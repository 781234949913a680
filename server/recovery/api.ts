import * as z from "zod";
import {
  DocumentId,
  isNoLaterThanTomorrow,
  MAX_DOCUMENT_ID,
  pageCursor,
  pageLimit,
  Sha256,
  storedText,
  TOO_LATE,
} from "../http/fields.ts";
import { defineRoute } from "../http/route.ts";
import { Comparison, ComparisonLine, Gap, Inventory, RecordedDocument, UnknownAnchor } from "./responses.ts";

const TAG = "Recovery";
const MAX_PAGE = 100;
const END_OF_DAY = "T23:59:59Z";
const PLUS = 'has a space before its zone; a "+" in a query is written as %2B';
/** Why times of the right form are refused. */
const REASONS = [TOO_LATE, PLUS];
const NO_MOMENT = "is not an ISO date, an ISO date-time with its zone, or Unix seconds";
const DESCRIPTION =
  "An ISO date from 1970, which means its end in UTC, an ISO date-time with its zone, or Unix seconds.";

const ISO = [z.regexes.date, z.regexes.datetime({ offset: true }), z.regexes.datetime({ offset: true, precision: -1 })];
const isoTexts = ISO.map(({ source }) =>
  // Elsewhere `\d` matches digits of all scripts.
  z
    .string()
    .regex(new RegExp(source.replaceAll("\\d", "[0-9]")))
    .regex(/^(19[7-9]|[2-9])/),
);

/** The zone of a time whose plus sign a query has decoded to a space. */
const SPACE_FOR_PLUS = /T.* \d\d:?\d\d$/;

/** A time in a query. Fewer digits than those of seconds are a year, or a date without its hyphens. */
const MomentText = z
  .union([...isoTexts, z.string().regex(/^[0-9]{9,16}$/)], {
    error: ({ input }) => (typeof input === "string" && SPACE_FOR_PLUS.test(input) ? PLUS : NO_MOMENT),
  })
  .refine((text) => isNoLaterThanTomorrow(beginningOf(text)), TOO_LATE);

/** A time up to which something is. */
const UpTo = MomentText.transform(secondsOf).meta({ description: DESCRIPTION, examples: ["2026-11-21"] });

/** A time from which on something is: of a date its beginning. */
const From = MomentText.transform((text) => Math.max(0, Math.ceil(beginningOf(text)))).meta({
  description: DESCRIPTION.replace("its end", "its beginning"),
  examples: ["2026-11-21"],
});

/** A time in a JSON body. */
const Moment = z
  .union([z.int().min(0).refine(isNoLaterThanTomorrow, TOO_LATE), UpTo], {
    // The reason why a time of the right form is refused says more than that it has none.
    error: ({ errors }) => errors?.flat().find(({ message }) => REASONS.includes(message))?.message ?? NO_MOMENT,
  })
  .meta({ id: "Moment", description: DESCRIPTION, examples: ["2026-11-21"] });

/** Returns the first second of a time: a date begins earlier in other zones. */
function beginningOf(text: string): number {
  return text.includes("-") ? Date.parse(text) / 1000 : Number(text);
}

function secondsOf(text: string): number {
  if (!text.includes("-")) return Number(text);
  // The first hours of 1970 in a zone to the east are before 1970 in UTC.
  return Math.max(0, Math.floor(Date.parse(text.includes("T") ? text : `${text}${END_OF_DAY}`) / 1000));
}

/** A restored document. */
export const RestoredRow = z
  .object({ document_id: DocumentId, hash: Sha256 })
  .transform(({ document_id, hash }) => ({ documentId: document_id, hash }))
  .meta({ id: "RestoredDocument", description: "A restored document, by its hash." });

export const verifyRestored = defineRoute({
  id: "verifyRestored",
  method: "post",
  path: "/api/v1/recovery/verify",
  tag: TAG,
  summary: "Compare restored documents with their records",
  description:
    "Compares each document with its newest record: `match`, `mismatch` or `unrecorded`. NDJSON bodies of any " +
    "length are processed as a stream, with `as_of` in the query. With JSON, `as_of` can be in the query or in " +
    "the body, and both must agree.",
  query: z.object({ as_of: UpTo.optional() }),
  body: z.object({ as_of: Moment.optional(), documents: z.array(RestoredRow).min(1, "has no document") }).meta({
    id: "RestoredDocuments",
    description: "Restored documents, to compare with the records up to a time.",
  }),
  bodyLine: RestoredRow,
  result: Comparison,
  resultLine: ComparisonLine,
  statuses: { 200: "The result of the comparison." },
});

const limit = pageLimit(
  MAX_PAGE,
  MAX_PAGE,
  "Maximum number of entries; an NDJSON response without a limit has all entries.",
);

const NO_CURSOR = "is not a cursor of an earlier response";

/** Before which entry a page begins, and the newest entry and block when the first page was read. */
const DocumentCursor = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}-\d{1,15}$/, NO_CURSOR)
  .transform((text) => {
    const [before = 0, newestEntry = 0, newestBlock = 0] = text.split("-").map(Number);
    return { before, newestEntry, newestBlock };
  })
  .meta({ description: "`next` of the previous page." });

export const inventory = defineRoute({
  id: "inventory",
  method: "get",
  path: "/api/v1/recovery/inventory",
  tag: TAG,
  summary: "List recorded documents",
  description:
    "Lists the documents that were on chain at a time (`date` or `as_of`), each with its newest record, newest " +
    "first. A search looks through a limited part of the journal for a page: one with fewer documents than `limit`, " +
    "or none, is the last one only without `next`. An NDJSON response has all pages, one document per line.",
  query: z
    .object({
      date: UpTo.optional(),
      as_of: UpTo.optional().meta({ description: "Another name of `date`; it counts when both are sent." }),
      q: storedText(MAX_DOCUMENT_ID)
        .min(1, "is empty")
        .optional()
        .meta({ description: "Text in the id of the document, in letters of any case." }),
      hash: Sha256.optional(),
      from: From.optional(),
      to: UpTo.optional(),
      limit,
      cursor: DocumentCursor.optional(),
    })
    // What could not be parsed is still text.
    .refine(({ from, to }) => typeof from !== "number" || typeof to !== "number" || from <= to, {
      path: ["to"],
      message: "is before `from`",
    }),
  result: Inventory,
  resultLine: RecordedDocument,
  statuses: { 200: "A page of documents, or all of them." },
});

export const gap = defineRoute({
  id: "gap",
  method: "get",
  path: "/api/v1/recovery/gap",
  tag: TAG,
  summary: "List missing documents or anchors",
  description:
    "Lists recorded documents that a comparison did not include, or anchors on chain that are missing in the " +
    "journal. An NDJSON response has all pages, one entry per line.",
  query: z
    .object({
      verification_id: z
        .uuid("is not the id of a verification")
        .optional()
        .meta({ description: "Default: the caller's newest comparison that is kept. Not with `against=journal`." }),
      against: z.enum(["restored", "journal"], "is neither restored nor journal").default("restored").meta({
        description:
          "`restored`: recorded documents missing from the restored data. `journal`: anchors missing in the journal.",
      }),
      limit,
      cursor: z
        .union([DocumentCursor, pageCursor()], { error: NO_CURSOR })
        .optional()
        .meta({ description: "`next` of the previous page." }),
    })
    .refine(({ against, cursor }) => cursor === undefined || (typeof cursor === "number") === (against === "journal"), {
      path: ["cursor"],
      message: NO_CURSOR,
    })
    .refine(({ against, verification_id }) => against !== "journal" || verification_id === undefined, {
      path: ["verification_id"],
      message: "is not allowed with against=journal, which concerns no comparison",
    }),
  result: Gap,
  resultLine: z.union([RecordedDocument, UnknownAnchor]),
  statuses: { 200: "A page of the missing entries, or all of them." },
  errors: [404],
});

/** The recovery API. */
export const RECOVERY_ROUTES = [verifyRestored, inventory, gap];
