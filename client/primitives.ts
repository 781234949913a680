import { z } from "zod";

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in lower-case hex");
export const hex32 = z.string().regex(/^0x[0-9a-f]{64}$/, "is not 32 bytes as 0x hex");
export const whole = z.int().nonnegative();

/** Free descriptive data; the named fields have a meaning. */
export const Metadata = z.looseObject({ type: z.string().optional(), timestamp: whole, source: z.string().optional() });
