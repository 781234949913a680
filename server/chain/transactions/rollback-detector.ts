import { equalBytes } from "../../kit/bytes.ts";
import type { VerifiedChain } from "../evidence/verified-chain.ts";
import type { TransactionStore } from "./types.ts";
import type { Address } from "../transaction.ts";
import { fetchQuantity } from "../rpc/query.ts";
import type { Rpc } from "../rpc/rpc.ts";

const LAG_MILLISECONDS = 12_000;

/** A rollback of the chain, or its recovery: the chain has all of the lost transactions again. */
export type ChainEvent =
  | { readonly kind: "chain_rolled_back"; readonly key: Address; readonly nonce: number; readonly count: number }
  | { readonly kind: "chain_recovered" };

export interface RollbackDetectorDeps {
  readonly rpc: Pick<Rpc, "call" | "addresses">;
  readonly chain: Pick<VerifiedChain, "header">;
  readonly store: Pick<TransactionStore, "reopen" | "minedNonces" | "lastMined" | "outcome">;
  /** Time for which a chain may lack mined nonces of a key before it counts as rolled back. */
  readonly lagMilliseconds?: number | undefined;
  readonly onEvent: (event: ChainEvent) => void;
}

/**
 * Detects a chain that was rolled back, for instance when its nodes were restored from old disks. Lost transactions
 * count as sent and without an outcome again, so that the same signed bytes are sent in the same order.
 */
export class RollbackDetector {
  readonly #deps: RollbackDetectorDeps;
  readonly #lagMilliseconds: number;
  /** Time since which the chain lacks nonces of a key. */
  readonly #lackingSince = new Map<Address, number>();
  /** Ids of transactions that the chain lost, by nonce. */
  #lost: readonly number[] = [];

  constructor(deps: RollbackDetectorDeps) {
    this.#deps = deps;
    this.#lagMilliseconds = deps.lagMilliseconds ?? LAG_MILLISECONDS;
  }

  /**
   * Checks whether the chain has lost transactions of a key.
   * @param mined Number of mined nonces of the key in the journal
   * @returns the number that the chain still has, once the lag exceeds the limit
   */
  async remainingOf(key: Address, mined: number): Promise<number | undefined> {
    const { rpc } = this.#deps;
    const remaining = await fetchQuantity(rpc, "eth_getTransactionCount", [key, "latest"]);
    if (remaining >= mined) {
      this.#lackingSince.delete(key);
      return undefined;
    }
    // An unreachable node may have the newest blocks: a failover is not a rollback.
    if (rpc.addresses?.().some(({ active, reachable }) => active && !reachable)) return undefined;
    // A node that lags, for instance one of several behind a load balancer, catches up.
    const since = this.#lackingSince.get(key) ?? performance.now();
    this.#lackingSince.set(key, since);
    if (performance.now() - since < this.#lagMilliseconds) return undefined;
    return (await this.#stillHas(key, mined, remaining)) ? undefined : remaining;
  }

  /**
   * Removes the outcomes of transactions whose nonces the chain no longer has.
   * @returns whether there were any
   */
  async reopen(key: Address, remaining: number): Promise<boolean> {
    const { store, onEvent } = this.#deps;
    const lost = await store.reopen(key, remaining);
    this.#lackingSince.delete(key);
    if (lost.length === 0) return false;
    this.#lost = [...this.#lost, ...lost.map(({ id }) => id)];
    onEvent({ kind: "chain_rolled_back", key, nonce: remaining, count: lost.length });
    return true;
  }

  /** Removes outcomes for keys of earlier leaders. */
  async reopenOfOthers(self: Address): Promise<void> {
    const { store } = this.#deps;
    for (const { key, nonces } of await store.minedNonces()) {
      const remaining = key === self ? undefined : await this.remainingOf(key, nonces);
      if (remaining !== undefined) await this.reopen(key, remaining);
    }
  }

  /** Reports when the chain has all of the lost transactions again. */
  async checkRecovered(): Promise<void> {
    const { store, onEvent } = this.#deps;
    if (this.#lost.length === 0) return;
    for (let [first] = this.#lost; first !== undefined; [first] = this.#lost) {
      if ((await store.outcome(first)).state === "pending") return;
      this.#lost = this.#lost.slice(1);
    }
    onEvent({ kind: "chain_recovered" });
  }

  /** Returns whether the chain has the block of a nonce that the node does not count: then its count is wrong. */
  async #stillHas(key: Address, mined: number, remaining: number): Promise<boolean> {
    const { chain, store } = this.#deps;
    const last = await store.lastMined(key, mined);
    if (last === undefined || last.nonce < remaining) return false;
    const header = await chain.header(last.block);
    return equalBytes(header?.reference.hash, last.blockHash);
  }
}
