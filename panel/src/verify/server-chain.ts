import { ClientError, isTransient } from "../../../client/errors.ts";
import { withRetry } from "../../../client/retry.ts";
import { noteUnauthorized } from "../access/proof-access.ts";
import { explorerClient } from "../explorer/explorer-client.ts";
import type { Trust } from "./check.ts";

/** Longer than the minute of the explorer's limit, when many bundles are of different blocks. */
const RETRY_FOR_MILLISECONDS = 100_000;
/** The explorer reads no larger numbers; no chain has such a block. */
const LAST_BLOCK = 999_999_999_999_999;

/** The chain as this server's explorer shows it. Blocks that were found are not fetched again. */
export class ServerChain {
  /** By chain and number. */
  readonly #hashes = new Map<string, string>();

  /**
   * Returns the queries of one run. After a failure that lasts nothing is fetched any more, and what depends on the
   * chain cannot be said.
   * @param signal Ends the run
   * @param onFailure Called with that failure
   */
  node(signal: AbortSignal, onFailure: (error: unknown) => void): NonNullable<Trust["node"]> {
    const client = explorerClient();
    let failure: { readonly error: unknown } | undefined;
    const fetched = async <T>(fetch: () => Promise<T>, isNeeded = false): Promise<T> => {
      if (failure !== undefined) throw failure.error;
      try {
        return await withRetry(fetch, { retryForMilliseconds: RETRY_FOR_MILLISECONDS, signal });
      } catch (error) {
        if (isNeeded || isLasting(error)) {
          failure = { error };
          noteUnauthorized(error);
          onFailure(error);
        }
        throw error;
      }
    };
    let chain: ReturnType<typeof client.chain> | undefined;
    return async (method, [block]) => {
      chain ??= fetched(() => client.chain(), true);
      const { chain_id } = await chain;
      if (method === "eth_chainId") return chain_id;
      if (method !== "eth_getBlockByNumber") throw new Error(`the explorer does not provide ${method}`);
      const number = Number(block);
      if (number > LAST_BLOCK) return null;
      const key = `${chain_id} ${number}`;
      const hash =
        this.#hashes.get(key) ?? (await fetched(async () => (await client.block(number, { limit: 1 }))?.hash));
      if (hash === undefined) return null;
      this.#hashes.set(key, hash);
      return { hash };
    };
  }
}

/** Whether further queries would fail as well. */
function isLasting(error: unknown): boolean {
  return isTransient(error) || (error instanceof ClientError && ["unauthorized", "forbidden"].includes(error.code));
}
