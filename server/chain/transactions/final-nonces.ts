import type { VerifiedChain } from "../evidence/verified-chain.ts";
import { fetchQuantity } from "../rpc/query.ts";
import { toQuantity } from "../rpc/rpc.ts";
import type { Address } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";

/** Time for which a count serves several refusals. */
const COUNT_MILLISECONDS = 250;

/**
 * Counts the nonces of a key that final blocks have used. Behind a load balancer each response can come from another
 * node, and only responses that name their block are reliable.
 */
export class FinalNonces {
  readonly #chain: Pick<VerifiedChain, "rpc" | "newestNumber">;
  readonly #key: Address;
  #newest: { readonly at: number; readonly fetched: Promise<{ block: number; used: number }> } | undefined;

  constructor(chain: Pick<VerifiedChain, "rpc" | "newestNumber">, key: Address) {
    this.#chain = chain;
    this.#key = key;
  }

  /** Returns the number of nonces that the blocks up to one have used; `undefined` when the node cannot say it. */
  async usedAt(block: number): Promise<number | undefined> {
    return ifAvailable(this.#count(block));
  }

  /** Returns the newest final block when its state counts a nonce as used; else `undefined`. */
  async blockThatUses(nonce: number): Promise<number | undefined> {
    if (this.#newest === undefined || performance.now() - this.#newest.at > COUNT_MILLISECONDS) {
      this.#newest = { at: performance.now(), fetched: this.#fetch() };
      // A failure is for those who wait; the next one queries again.
      this.#newest.fetched.catch(() => (this.#newest = undefined));
    }
    const { block, used } = await this.#newest.fetched;
    return used > nonce ? block : undefined;
  }

  /** Returns whether the final blocks have a transaction with a nonce; unknown counts as no. */
  async isUsed(nonce: number): Promise<boolean> {
    return (await ifAvailable(this.blockThatUses(nonce))) !== undefined;
  }

  async #fetch(): Promise<{ block: number; used: number }> {
    const block = await this.#chain.newestNumber();
    return { block, used: await this.#count(block) };
  }

  async #count(block: number): Promise<number> {
    if (block < 0) return 0;
    return fetchQuantity(this.#chain.rpc, "eth_getTransactionCount", [this.#key, toQuantity(block)]);
  }
}

/** Returns what a node says; `undefined` when it does not. */
async function ifAvailable<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof SealbookError) return undefined;
    throw error;
  }
}
