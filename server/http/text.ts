import { z } from "zod";

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
