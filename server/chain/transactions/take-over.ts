import { hexlify } from "ethers";
import type { FinalOutcome, TransactionStore } from "./types.ts";
import type { Address, SignedTransaction } from "../transaction.ts";
import { byTransaction } from "./in-flight.ts";
import { finalOutcomeOf, type OutcomeRules } from "./final-outcome.ts";
import { NodeError } from "../rpc/node-error.ts";

export interface TakeOverDeps extends OutcomeRules {
  readonly store: Pick<TransactionStore, "inFlightOfOthers" | "abandon">;
  /** Stores and publishes outcomes. */
  readonly record: (outcomes: readonly FinalOutcome[]) => Promise<void>;
  /** Called after anchors got back to the calls that wait for a signature. */
  readonly onAbandoned: (count: number) => void;
  /** Address of the own key; its transactions are excluded. */
  readonly self: Address;
  /** Time after which a transaction in no block is given up. */
  readonly abandonMilliseconds: number;
  /** Returns whether to end early. */
  isStopped(): boolean;
}

/**
 * Completes transactions that earlier leaders signed with other keys and that have no outcome. Sends signed bytes again
 * and records outcomes, without the key. A key has a few hundred transactions in flight at most, so that each run
 * covers all of them: a key with rejected transactions delays no other key.
 *
 * What is in no block for long cannot be mined: a nonce before it is missing, or its fee is too low. An anchor is then
 * signed anew with the own key: when both are mined, the contract keeps the first one. A row or a session is not: its
 * bytes can still be mined, and the same call would fail then, as if another one had been first.
 */
export class TakeOver {
  readonly #deps: TakeOverDeps;
  /** When transactions were first seen in no block, and the newest block of the time for which they can be; by id. */
  readonly #lost = new Map<number, { readonly at: number; readonly head: number }>();

  constructor(deps: TakeOverDeps) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    const { chain, store, record, self, isStopped } = this.#deps;
    const signed = await store.inFlightOfOthers(self);
    const final = signed.length === 0 ? -1 : await chain.newestNumber();
    const mined = await chain.transactions(signed.map(({ hash }) => hexlify(hash)));
    const found = new Map(signed.map(({ hash }, index) => [hash, mined[index]]));
    const outcomes: FinalOutcome[] = [];
    const lost: SignedTransaction[] = [];
    for (const versions of byTransaction(signed)) {
      const at = versions.map(({ hash }) => found.get(hash)).find((each) => each !== undefined);
      if (at === undefined) lost.push(...versions.slice(-1));
      const outcome =
        at === undefined || at === "unfinal" ? undefined : await finalOutcomeOf(this.#deps, { versions }, at);
      if (outcome !== undefined) outcomes.push(outcome);
    }
    if (outcomes.length > 0) {
      await chain.rpc.identify?.();
      await record(outcomes);
    }
    // One after the other: some nodes reject a nonce before the one below it.
    for (const { raw } of lost) {
      if (isStopped()) return;
      // Only their own relayer can handle a rejection: only it has the key for the nonces that follow.
      await chain.rpc.call("eth_sendRawTransaction", [hexlify(raw)]).catch(ignoreRefusal);
    }
    await this.#abandon(lost, final);
  }

  /**
   * Gives up those that are in no block for long, nor in one that was made afterwards.
   * @param final The newest final block before they were looked for
   */
  async #abandon(lost: readonly SignedTransaction[], final: number): Promise<void> {
    const { store, onAbandoned, abandonMilliseconds } = this.#deps;
    const ids = new Set(lost.map(({ id }) => id));
    for (const id of this.#lost.keys()) if (!ids.has(id)) this.#lost.delete(id);
    const now = performance.now();
    const abandoned: number[] = [];
    for (const id of ids) {
      const { at, head } = this.#lost.get(id) ?? { at: now, head: final };
      const isEarly = now - at < abandonMilliseconds;
      this.#lost.set(id, { at, head: isEarly ? Math.max(head, final) : head });
      if (!isEarly && final > head) abandoned.push(id);
    }
    if (abandoned.length === 0) return;
    const count = await store.abandon(abandoned);
    // Rows and sessions stay as they are.
    for (const id of abandoned) this.#lost.set(id, { at: Infinity, head: final });
    if (count > 0) onAbandoned(count);
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof NodeError)) throw error;
}
