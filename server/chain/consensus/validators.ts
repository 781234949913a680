import { z } from "zod";
import type { Participation } from "./participation.ts";
import type { BftProtocol } from "../evidence/bft-extra-data.ts";
import { ifNodeError, type Rpc } from "../rpc/rpc.ts";
import { Quantity } from "../rpc/fields.ts";
import type { BftBlocks } from "./bft-history.ts";

const Addresses = z.array(z.string());
const SignerMetrics = z.array(
  z.object({ address: z.string(), lastProposedBlockNumber: Quantity, proposedBlockCount: Quantity }),
);

/** Names of the protocols and prefixes of the node's methods for them. */
const PROTOCOLS = [
  { protocol: "ibft2", name: "IBFT 2.0", prefix: "ibft" },
  { protocol: "qbft", name: "QBFT", prefix: "qbft" },
] as const satisfies readonly { protocol: BftProtocol; name: string; prefix: string }[];

/**
 * Fetches the validators from the node; from the newest header for a node without such a method.
 * @param bft Blocks with commit seals; `undefined` on a chain without them
 */
export async function fetchValidators(
  rpc: Pick<Rpc, "call">,
  bft: BftBlocks | undefined,
): Promise<{ readonly protocol: string; readonly validators: readonly string[] }> {
  for (const { protocol, name, prefix } of PROTOCOLS) {
    if (bft !== undefined && bft.protocol !== protocol) continue;
    const response = await rpc.call(`${prefix}_getValidatorsByBlockNumber`, ["latest"]).catch(ifNodeError(undefined));
    const validators = Addresses.safeParse(response);
    if (validators.success) return { protocol: name, validators: validators.data };
    if (bft !== undefined) return { protocol: name, validators: bft.blocks.at(-1)?.validators ?? [] };
  }
  return { protocol: "none", validators: [] };
}

/** Adds the last proposal of validators that proposed before the history, if the node has it. */
export async function lastProposals(
  rpc: Pick<Rpc, "call">,
  protocol: BftProtocol,
  participation: readonly Participation[],
): Promise<readonly Participation[]> {
  if (participation.every(({ lastProposed }) => lastProposed !== undefined)) return participation;
  const prefix = protocol === "ibft2" ? "ibft" : "qbft";
  const response = await rpc.call(`${prefix}_getSignerMetrics`, []).catch(ifNodeError(undefined));
  const metrics = SignerMetrics.safeParse(response);
  if (!metrics.success) return participation;
  // A validator without a proposal in the range has block 0 there.
  const proposed = new Map(
    metrics.data
      .filter(({ proposedBlockCount }) => proposedBlockCount > 0)
      .map((each) => [each.address.toLowerCase(), each.lastProposedBlockNumber]),
  );
  return participation.map((each) => ({ ...each, lastProposed: each.lastProposed ?? proposed.get(each.validator) }));
}
