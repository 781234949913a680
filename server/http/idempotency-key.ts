import type { Request } from "express";
import * as z from "zod";
import { parseInput } from "./errors.ts";

/** Name of the header. */
const NAME = "Idempotency-Key";

/** Long enough that nobody else guesses it; a UUID fits. */
const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{16,255}$/, "is not 16 to 255 printable ASCII characters")
  .meta({ description: "Marks the repetitions of one call: 16 to 255 printable ASCII characters, new for each call." });

/** The header of a call that can be repeated. */
export const IdempotencyHeader = z.object({ [NAME]: IdempotencyKey.optional() });

/**
 * Returns the key by which a client marks repetitions of one call.
 * @throws SealbookError `malformed`
 */
export function idempotencyKeyOf(request: Request): string | undefined {
  return parseInput(IdempotencyHeader, { [NAME]: request.get(NAME) })[NAME];
}
