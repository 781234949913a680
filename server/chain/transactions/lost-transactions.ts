import type { TransactionStore } from "./transactions.ts";
import type { Address } from "../transaction.ts";
import { fetchQuantity } from "../rpc/query.ts";
import type { Rpc } from "../rpc/rpc.ts";

const BEHIND_MILLISECONDS = 12_000;

/** That a chain went back, and that it has again what it lost. */
export type ChainEvent =
  | { readonly kind: "chain_went_back"; readonly key: Address; readonly nonce: number; readonly count: number }
  | { readonly kind: "chain_made_whole" };

export interface LostTransactionsDeps {
  readonly rpc: Pick<Rpc, "call" | "addresses">;
  readonly store: Pick<TransactionStore, "reopen" | "settledNonces" | "outcome">;
  /** How long another relayer's key is left to it: it may have gone for good. */
  readonly takeOverMilliseconds: number;
  /** How long a chain may know fewer of a key's nonces than were settled before it counts as gone back. */
  readonly behindMilliseconds?: number | undefined;
  readonly onEvent: (event: ChainEvent) => void;
}

/**
 * Notices that a chain came back older than it was: its nodes were restored from old disks. What it lost counts as
 * sent and not settled then, so that it is given the same signed bytes again, in the same order.
 */
export class LostTransactions {
  readonly #deps: LostTransactionsDeps;
  readonly #patience: number;
  /** Since when the chain knows too few nonces of a key. */
  readonly #behind = new Map<Address, number>();
  /** What the chain has to take again, by nonces. */
  #lost: readonly number[] = [];

  constructor(deps: LostTransactionsDeps) {
    this.#deps = deps;
    this.#patience = deps.behindMilliseconds ?? BEHIND_MILLISECONDS;
  }

  /**
   * Whether the chain has lost anything of the own key.
   * @param settled How many nonces were settled
   * @returns how many of them the chain still knows, when it has known too few for long enough
   */
  knownOf(key: Address, settled: number): Promise<number | undefined> {
    return this.#knownOf(key, settled, this.#patience);
  }

  /**
   * Reopens what was settled with nonces that the chain no longer knows.
   * @returns whether there was anything
   */
  async reopen(key: Address, known: number): Promise<boolean> {
    const { store, onEvent } = this.#deps;
    const lost = await store.reopen(key, known);
    this.#behind.delete(key);
    if (lost.length === 0) return false;
    this.#lost = [...this.#lost, ...lost.map(({ id }) => id)];
    onEvent({ kind: "chain_went_back", key, nonce: known, count: lost.length });
    return true;
  }

  /** Reopens what the chain has lost of keys whose own relayer did not see to it. */
  async reopenOthers(self: Address): Promise<void> {
    const { store, takeOverMilliseconds } = this.#deps;
    const patience = Math.max(takeOverMilliseconds, 2 * this.#patience);
    for (const { key, nonces } of await store.settledNonces()) {
      const known = key === self ? undefined : await this.#knownOf(key, nonces, patience);
      if (known !== undefined) await this.reopen(key, known);
    }
  }

  /** Tells when the chain has again all that it had lost. */
  async follow(): Promise<void> {
    const { store, onEvent } = this.#deps;
    if (this.#lost.length === 0) return;
    for (let [first] = this.#lost; first !== undefined; [first] = this.#lost) {
      if ((await store.outcome(first)).state === "pending") return;
      this.#lost = this.#lost.slice(1);
    }
    onEvent({ kind: "chain_made_whole" });
  }

  async #knownOf(key: Address, settled: number, patience: number): Promise<number | undefined> {
    const { rpc } = this.#deps;
    const known = await fetchQuantity(rpc, "eth_getTransactionCount", [key, "latest"]);
    if (known >= settled) {
      this.#behind.delete(key);
      return undefined;
    }
    // The others have more than the only one that answers: nothing went back.
    if (rpc.addresses?.().some(({ active, reachable }) => active && !reachable)) return undefined;
    // A node that only lags, of several behind one address for instance, catches up.
    const since = this.#behind.get(key) ?? Date.now();
    this.#behind.set(key, since);
    return Date.now() - since < patience ? undefined : known;
  }
}
