import { z } from "zod";
import { type Rpc, unavailable } from "./rpc.ts";

/** A number as JSON-RPC writes it. Nothing else passes: `Number` would make 0 of `null`, and NaN of a word. */
export const Quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(Number)
  .pipe(z.int().nonnegative());

/**
 * Asks a node for a number.
 * @throws SealbookError `chain_unavailable` also when what it answers is none
 */
export async function askQuantity(
  rpc: Pick<Rpc, "call">,
  method: string,
  parameters: readonly unknown[],
): Promise<number> {
  const quantity = Quantity.safeParse(await rpc.call(method, parameters));
  if (quantity.success) return quantity.data;
  throw unavailable(new Error(`what the node answered to ${method} is no number`, { cause: quantity.error }));
}
