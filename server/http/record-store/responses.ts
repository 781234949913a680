import * as z from "zod";
import { Address, ChainHash, type ResponseOf } from "../responses.ts";

/** A duration as the envelope writes it. */
export const duration = z
  .string()
  .regex(/^\d+\.\d{6}$/)
  .meta({ description: "The duration in seconds." });

/** A fragment of HTML for the panel. */
export const component = z.base64().meta({ description: "A fragment of HTML, in base64." });

/** Creates the envelope of a successful call. */
export function successOf<Content extends z.ZodObject>(route: string, content: Content) {
  return z.object({
    content,
    msg: z.literal(`${route} fetch is successful`),
    render: duration,
    status: z.literal(1),
  });
}

/** The envelope of a failed call. */
export const Failure = z
  .object({
    content: z.object({
      error: z.object({
        code: z
          .string()
          .regex(/^[a-z_]+$/)
          .meta({ description: "The stable identifier of the error." }),
        message: z.string(),
        details: z
          .array(z.object({ path: z.string(), message: z.string() }))
          .optional()
          .meta({ description: "Every invalid field of the request, by its path." }),
      }),
    }),
    msg: z.string().regex(/ fetch is failed: /),
    render: duration,
    status: z.literal(0),
  })
  .meta({ id: "Failure", description: "The envelope of a failed call." });

/** A row id. */
export const reference = z
  .union([z.int(), z.string()])
  .meta({ description: "An integer; a decimal string above 2^53 - 1." });

export const RowChecks = z
  .object({
    passed: z.boolean().meta({ description: "Whether all checks passed." }),
    signer: Address.nullable().meta({
      description:
        "The address recovered from the signature, or named by it; `null` if no event table would accept it.",
    }),
    signed_by_sender: z.boolean().meta({
      description: "Whether the signer is the sender named in the row, by a signature that was checked.",
    }),
    binding: z
      .enum(["place", "none", "contract"])
      .nullable()
      .meta({
        description:
          "The reach of the signature. `place`: it counts only for its chain, contract, table and row id. `none`: " +
          "it is over the row data alone, as in rows of other systems. `contract`: it is that of a " +
          "contract account (ERC-1271), which only the chain can check, so that `passed` is false. `null` when the " +
          "sender has signed in neither way.",
      }),
    row_id_matches: z.boolean().meta({ description: "Whether the row id in the row is that of the call." }),
  })
  .meta({ id: "RowChecks", description: "Checks of the row against its own call data." });

/** The entry of a signed row in the record index. */
export const RowVerdict = z
  .object({
    verdict: z.enum(["original", "replay"]).meta({
      description:
        "`original` for the call of the first write of the row data and signature; `replay` for any other call with " +
        "them: in another table, under another row id, by another function, or again.",
    }),
    table: z.string().meta({ description: "The table of the original." }),
    chainid: reference,
    tx_hash: ChainHash,
    block_number: z.int().nonnegative(),
    overwritten_by: ChainHash.nullable().meta({ description: "The transaction that wrote another row over it." }),
  })
  .meta({ id: "RowVerdict" });

export type RowChecks = ResponseOf<typeof RowChecks>;
export type RowVerdict = ResponseOf<typeof RowVerdict>;
