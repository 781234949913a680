import * as z from "zod";

/**
 * Creates the schema of a string with a maximum length in Unicode code points, like in JSON Schema; JavaScript counts
 * UTF-16 units.
 */
export function limitedText(maximum: number) {
  return z
    .string()
    .refine((value) => value.length <= maximum || [...value].length <= maximum, `is longer than ${maximum} characters`)
    .meta({ maxLength: maximum });
}

/** Creates the schema of a string for the database, without NUL characters, which PostgreSQL rejects. */
export function storedText(maximum: number) {
  return limitedText(maximum)
    .refine((value) => !value.includes("\0"), "contains a NUL character")
    .meta({ maxLength: maximum, pattern: "^[^\\u0000]*$" });
}

/** A SHA-256: 64 hex digits of any case, with or without `0x`. */
export const Sha256 = z
  .string()
  .regex(/^(0[xX])?[0-9a-fA-F]{64}$/, "is not a SHA-256: 64 hexadecimal digits")
  .transform((text): Uint8Array => Buffer.from(text.slice(-64), "hex"))
  .meta({ id: "Sha256", description: "A SHA-256 as 64 hexadecimal digits, with or without `0x`." });

/** Describes a number in a query. */
export const inQuery = (minimum: number, maximum: number) => ({
  type: "integer",
  minimum,
  maximum,
  pattern: undefined,
});

/** The maximum number of entries of a page. */
export const pageLimit = (maximum: number, usual: number, description = "Maximum number of entries.") =>
  z
    .string()
    .regex(/^-?\d+$/, "is not a whole number")
    .transform(Number)
    .refine((value) => value >= 1 && value <= maximum, `is not between 1 and ${maximum}`)
    .default(usual)
    .meta({ ...inQuery(1, maximum), description: `${description} Default: ${usual}.` });

/** The cursor of a list whose entries are numbered: `next` of the page before. */
export const pageCursor = (digits = 15) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`), "is not a cursor of an earlier response")
    .transform(Number)
    .meta({ ...inQuery(0, 10 ** digits - 1), description: "`next` of the previous page." });

/** Creates the schema of a text that is hashed: UTF-8 cannot encode an unpaired surrogate. */
export const hashedText = (maximum: number) =>
  storedText(maximum).refine((value) => value.isWellFormed(), "contains half a surrogate pair");

const DAY_SECONDS = 86_400;
const IN_SECONDS = "times are in seconds, not milliseconds";

/** Checks Unix seconds: no clock is a day ahead of the server's, and milliseconds are thousands of years ahead. */
export function isNoLaterThanTomorrow(seconds: number): boolean {
  return seconds <= Date.now() / 1000 + DAY_SECONDS;
}

/** The message for a time that is not. */
export const TOO_LATE = `is more than a day ahead; ${IN_SECONDS}`;

/** Maximum length of a document's identifier. */
export const MAX_DOCUMENT_ID = 512;

/** The identifier of a document in the calling system. */
export const DocumentId = hashedText(MAX_DOCUMENT_ID)
  .min(1, "is empty")
  .refine((value) => value !== "." && value !== "..", "is . or .., which no address of a document can contain")
  .meta({ id: "DocumentId", description: "The identifier of the document in the calling system." });
