import { withRetry } from "../../../client/retry.ts";
import { explorerClient } from "../explorer/explorer-client.ts";
import type { Trust } from "./check.ts";

/** Long enough for the limit of a minute, when many bundles are of different blocks. */
const RETRY_FOR_MILLISECONDS = 70_000;

/**
 * The chain as this server's explorer shows it, for one run: blocks are fetched once. Without the chain, its queries
 * fail, and what depends on them cannot be said.
 */
export async function serverChain(): Promise<NonNullable<Trust["chain"]>> {
  const client = explorerClient();
  const chain = await client
    .chain()
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (chain instanceof Error)
    return {
      id: undefined,
      node: () => {
        throw chain;
      },
    };
  const blocks = new Map<number, ReturnType<typeof client.block>>();
  const node = async (method: string, [block]: readonly unknown[]): Promise<unknown> => {
    if (method === "eth_chainId") return chain.chain_id;
    if (method !== "eth_getBlockByNumber") throw new Error(`the explorer does not provide ${method}`);
    const number = Number(block);
    const fetch = () => client.block(number, { limit: 1 });
    const found = blocks.get(number) ?? withRetry(fetch, { retryForMilliseconds: RETRY_FOR_MILLISECONDS });
    blocks.set(number, found);
    const hash = (await found)?.hash;
    return hash === undefined ? null : { hash };
  };
  return { id: chain.chain_id, node, contract: chain.contracts.ProofAnchor };
}
