import { z } from "zod";

/**
 * A text of a largest length in characters (Unicode code points), as JSON Schema counts them: JavaScript counts some
 * characters twice.
 */
export function limitedText(maximum: number) {
  return z
    .string()
    .refine((value) => value.length <= maximum || [...value].length <= maximum, `is longer than ${maximum} characters`)
    .meta({ maxLength: maximum });
}

/** A text that is kept: a NUL character is nothing that every database takes. */
export function storedText(maximum: number) {
  return limitedText(maximum).refine((value) => !value.includes("\0"), "contains a NUL character");
}
