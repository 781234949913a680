import type { BlockReference } from "../chain/block.ts";
import type { SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import type { ContractCall } from "../chain/transaction.ts";
import type { Transactions } from "../chain/transactions/types.ts";
import { SealbookError } from "../errors.ts";
import type { Clock } from "../kit/time.ts";
import { type Session, sessionError } from "./session.ts";
import type { SessionJournal } from "./store.ts";

export interface TokenChangesDeps {
  readonly journal: SessionJournal;
  readonly transactions: Transactions;
  readonly chain: Pick<SessionRegistryClient, "rules" | "sessionOf" | "isLive">;
  readonly clock: Clock;
  /** Maximum wait of a call for the chain. */
  readonly chainWaitMilliseconds: number;
}

/** A token that was replaced. */
export interface Replaced {
  readonly tokenHash: Uint8Array;
  readonly keepsKeys: boolean;
}

/** Upper bound of every configured wait for the chain; no opening counts later. */
export const MAX_CALL_MILLISECONDS = 15 * 60_000;

/** Changes tokens as their transactions are mined, and settles the changes that a crash or a stall interrupted. */
export class TokenChanges {
  readonly #deps: TokenChangesDeps;
  readonly #startedAt: number;

  constructor(deps: TokenChangesDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock();
  }

  /** Records the intent to change a session. Of two concurrent calls with one token, only the first succeeds. */
  begin(session: Session, call: ContractCall, successor?: Omit<Session, "transactionId">): Promise<number> {
    return this.#deps.journal.atomically(async (atomic) => {
      const transactionId = await atomic.intents.insert(call);
      const begun = await atomic.sessions.transition(session.tokenHash, "active", {
        state: "replacing",
        transactionId,
      });
      if (!begun) throw new SealbookError("token_invalid", "the token is being replaced by another call");
      if (successor !== undefined) await atomic.sessions.insert({ ...successor, transactionId });
      return transactionId;
    });
  }

  /**
   * Waits until a session's transaction is mined. If it is not, updates the affected tokens and throws. Of a
   * replacement that may still be mined the old token ends, and the new one stays open for the client's repeated call,
   * and for {@link settle}.
   * @param opening The new token
   * @param replacing The old token
   * @returns its block
   */
  async mined(transactionId: number, opening?: Uint8Array, replacing?: Uint8Array): Promise<BlockReference> {
    const { transactions, chainWaitMilliseconds } = this.#deps;
    transactions.wake();
    const outcome = await transactions.outcome(transactionId, chainWaitMilliseconds);
    if (outcome.state === "confirmed") return outcome.block;
    const hasNoEffect = outcome.state !== "pending" || (await transactions.cancel(transactionId));
    if (hasNoEffect || opening === undefined || replacing === undefined)
      await this.#undo(hasNoEffect, opening, replacing);
    else await this.#hold(replacing);
    throw sessionError(outcome);
  }

  /** Ends an old token; the repeated call needs its keys. */
  async #hold(replacing: Uint8Array): Promise<void> {
    await this.#deps.journal.sessions.transition(replacing, "replacing", { state: "ended", keepsKeys: true });
  }

  /** Ends a new token, and makes the old one active again if the transaction certainly has no effect; else ends it. */
  #undo(hasNoEffect: boolean, opening?: Uint8Array, replacing?: Uint8Array): Promise<void> {
    return this.#deps.journal.atomically(async ({ sessions }) => {
      // The same call, repeated, has the same successor.
      if (opening !== undefined && hasNoEffect) await sessions.removeOpening(opening);
      else if (opening !== undefined) await sessions.transition(opening, "opening", { state: "ended" });
      if (replacing !== undefined)
        await sessions.transition(replacing, "replacing", { state: hasNoEffect ? "active" : "ended" });
    });
  }

  /** Stores the on-chain state of a new token and ends the previous token. */
  async activate({ id, tokenHash: hash }: Pick<Session, "id" | "tokenHash">, replaced?: Replaced) {
    const { journal, chain } = this.#deps;
    const [onChain, isLive, rules] = await Promise.all([
      chain.sessionOf(id),
      chain.isLive({ id, tokenHash: hash }),
      chain.rules(),
    ]);
    if (onChain === undefined)
      throw new SealbookError("internal", "the registry contract returns no session for the token it has just opened");
    const { expiresAt, validated } = onChain;
    await journal.atomically(async ({ sessions }) => {
      if (replaced !== undefined) {
        const { tokenHash: old, keepsKeys } = replaced;
        await sessions.transition(old, "replacing", { state: "ended", keepsKeys });
      }
      await sessions.transition(hash, "opening", { state: "active", expiresAt, validated });
    });
    return { expiresAt, validated, isLive, rules };
  }

  /** Cancels the calls of the last run that were not sent; the old tokens of the others end. */
  async recover(): Promise<void> {
    for (const { transactionId, opening, replacing } of await this.#abandoned()) {
      const hasNoEffect = await this.#deps.transactions.cancel(transactionId);
      const isReplacement = opening !== undefined && opening.expiresAt > 0;
      if (hasNoEffect || !isReplacement) await this.#undo(hasNoEffect, opening?.tokenHash, replacing?.tokenHash);
      else if (replacing !== undefined) await this.#hold(replacing.tokenHash);
    }
  }

  /**
   * Settles the calls that nobody waits for any more. A new token becomes active when it is mined, until the old one
   * expires: the client repeats its call with its key.
   */
  async settle(): Promise<void> {
    const { transactions, clock } = this.#deps;
    for (const { transactionId, opening, replacing } of await this.#abandoned()) {
      const { state } = await transactions.outcome(transactionId, 0);
      if (state === "confirmed" && opening !== undefined) {
        const replaced = replacing && { tokenHash: replacing.tokenHash, keepsKeys: true };
        // Without a response of the chain the next run does it; the other calls do not wait for it.
        await this.activate(opening, replaced).catch(() => undefined);
        continue;
      }
      const hasNoEffect = state === "pending" ? await transactions.cancel(transactionId) : state !== "confirmed";
      if (hasNoEffect || opening === undefined || 1000 * opening.expiresAt < clock())
        await this.#undo(hasNoEffect, opening?.tokenHash, replacing?.tokenHash);
    }
  }

  /** Returns the unfinished calls of runs before this one, and those that waited for the chain in vain. */
  async #abandoned() {
    const { journal, clock, chainWaitMilliseconds } = this.#deps;
    const tokens = await journal.sessions.changing(Math.max(this.#startedAt, clock() - chainWaitMilliseconds));
    return [...Map.groupBy(tokens, (token) => token.transactionId)].map(([transactionId, changed]) => ({
      transactionId,
      opening: changed.find(({ state }) => state === "opening"),
      replacing: changed.find(({ state }) => state === "replacing"),
    }));
  }
}
