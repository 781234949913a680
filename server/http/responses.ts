import * as z from "zod";

/**
 * The type of a response, inferred from its schema. The schemas in the `responses.ts` files are the only definition of
 * a response: the server's mappings, the OpenAPI document, the client and the panel derive their types and checks from
 * them. These files import only zod and each other, so that browsers can load them.
 */
export type ResponseOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

export const whole = z.int().nonnegative();
export const seconds = (description: string) => whole.meta({ description: `${description}, in Unix seconds.` });

/** A hash without prefix. */
export const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "is not 32 bytes in lower-case hex")
  .meta({ id: "Hash", description: "32 bytes as 64 lower-case hexadecimal digits." });

/** A hash with the prefix `0x`. */
export const ChainHash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/, "is not 32 bytes as 0x hex")
  .meta({ id: "ChainHash", description: "32 bytes as `0x` and 64 lower-case hexadecimal digits." });

export const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "is not an address")
  .meta({ id: "Address", description: "An address on the chain." });

/** Descriptive data of a document; the named fields have a meaning, other fields are kept. */
export const Metadata = z
  .looseObject({
    type: z.string().optional(),
    timestamp: seconds("The time that is part of the recorded hash"),
    source: z.string().optional(),
  })
  .meta({ id: "Metadata", description: "Descriptive data of a document, with fields of any name." });

/** The cursor of the next page of a list. */
export const next = z
  .string()
  .optional()
  .meta({ description: "The cursor of the next page; missing on the last page." });

/** An error response by RFC 9457. */
export const Problem = z
  .object({
    type: z
      .string()
      .regex(/^urn:sealbook:problem:[a-z_]+$/)
      .meta({ description: "The stable identifier of the error." }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: "An explanation for people." }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "Every invalid field of the request, by its path." }),
  })
  .meta({ id: "Problem", description: "Problem details by RFC 9457." });
