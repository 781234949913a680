import { z } from "zod";

export const whole = z.int().nonnegative();
export const seconds = (description: string) => whole.meta({ description: `${description}, in Unix seconds.` });

/** A hash as answers write it. */
export const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ id: "Hash", description: "32 bytes as 64 lower-case hexadecimal digits." });

/** A hash as the chain writes it. */
export const ChainHash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ id: "ChainHash", description: "32 bytes as `0x` and 64 lower-case hexadecimal digits." });

export const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .meta({ id: "Address", description: "An address on the chain." });

/** What was sent along with a document. */
export const Metadata = z
  .looseObject({
    type: z.string().optional(),
    timestamp: seconds("The time that went into the recorded hash"),
    source: z.string().optional(),
  })
  .meta({ id: "Metadata", description: "What was sent along with a document, and whatever else came with it." });

/** The cursor of a list that goes on. */
export const next = z
  .string()
  .optional()
  .meta({ description: "The cursor of the next page; missing on the last one." });
