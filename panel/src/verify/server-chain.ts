import { withRetry } from "../../../client/retry.ts";
import { noteUnauthorized } from "../access/proof-access.ts";
import { explorerClient } from "../explorer/explorer-client.ts";
import type { Trust } from "./check.ts";

/** A reader waits no longer. The wait for the limit of the explorer is longer: it ends the comparison of a run. */
const RETRY_FOR_MILLISECONDS = 20_000;

/**
 * The chain as this server's explorer shows it, for one run: blocks are fetched once. After the first failure nothing
 * is fetched any more, and what depends on the chain cannot be said.
 * @param onFailure Called with the failure
 */
export async function serverChain(onFailure: (error: unknown) => void): Promise<NonNullable<Trust["chain"]>> {
  const client = explorerClient();
  let failure: { readonly error: unknown } | undefined;
  const fetched = async <T>(fetch: () => Promise<T>): Promise<T> => {
    if (failure !== undefined) throw failure.error;
    try {
      return await withRetry(fetch, { retryForMilliseconds: RETRY_FOR_MILLISECONDS });
    } catch (error) {
      failure = { error };
      noteUnauthorized(error);
      onFailure(error);
      throw error;
    }
  };
  const chain = await client.chain().catch((error: unknown) => {
    failure = { error };
    noteUnauthorized(error);
    onFailure(error);
    return undefined;
  });
  const blocks = new Map<number, Promise<string | undefined>>();
  const node = async (method: string, [block]: readonly unknown[]): Promise<unknown> => {
    if (failure !== undefined) throw failure.error;
    if (method === "eth_chainId") return chain?.chain_id;
    if (method !== "eth_getBlockByNumber") throw new Error(`the explorer does not provide ${method}`);
    const number = Number(block);
    const found = blocks.get(number) ?? fetched(async () => (await client.block(number, { limit: 1 }))?.hash);
    blocks.set(number, found);
    const hash = await found;
    return hash === undefined ? null : { hash };
  };
  return { id: chain?.chain_id, node };
}
