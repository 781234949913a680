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
  readonly chain: Pick<SessionRegistryClient, "rules" | "sessionOf">;
  readonly clock: Clock;
  /** Maximum wait of a call for the chain. */
  readonly chainWaitMilliseconds: number;
}

/** A token that was replaced. */
export interface Replaced {
  readonly tokenHash: Uint8Array;
  readonly keepsKeys: boolean;
}

/** A token and its successor, in an interrupted call. */
export interface Replacement {
  readonly opening: Session;
  readonly replacing: Session;
}

/** Upper bound of every configured wait for the chain; no opening counts later. */
export const MAX_CALL_MILLISECONDS = 15 * 60_000;

/** Changes tokens as their transactions are mined, and completes the changes that a crash interrupted. */
export class TokenChanges {
  readonly #deps: TokenChangesDeps;

  constructor(deps: TokenChangesDeps) {
    this.#deps = deps;
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
   * Waits until a session's transaction is mined. If it is not, updates the affected tokens and throws.
   * @param opening The new token
   * @param replacing The old token
   */
  async mined(transactionId: number, opening?: Uint8Array, replacing?: Uint8Array): Promise<void> {
    const { transactions, chainWaitMilliseconds } = this.#deps;
    transactions.wake();
    const outcome = await transactions.outcome(transactionId, chainWaitMilliseconds);
    if (outcome.state === "confirmed") return;
    await this.undo(outcome.state !== "pending" || (await transactions.cancel(transactionId)), opening, replacing);
    throw sessionError(outcome);
  }

  /**
   * Ends a new token, and makes the old one active again if the transaction certainly has no effect. A sent one may
   * still be mined, so in that case the old token ends.
   */
  undo(hasNoEffect: boolean, opening?: Uint8Array, replacing?: Uint8Array): Promise<void> {
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
    const [onChain, rules] = await Promise.all([chain.sessionOf(id), chain.rules()]).catch(async (error: unknown) => {
      // The client does not receive the new token, and the chain has ended the old one.
      await this.undo(false, hash, replaced?.tokenHash);
      throw error;
    });
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
    return { expiresAt, validated, rules };
  }

  /**
   * Ends or restores what a crash interrupted; runs before anything is sent. An unsent call is cancelled. A login or
   * close that was sent ends its session.
   * @returns the sent replacements, for {@link complete}: a client that repeats its call with its key has the token
   */
  async recover(): Promise<Replacement[]> {
    const { journal, transactions, clock } = this.#deps;
    // Skips calls that another relayer may still be processing.
    const tokens = await journal.sessions.interrupted(clock() - MAX_CALL_MILLISECONDS);
    const sent: Replacement[] = [];
    for (const [transactionId, changed] of Map.groupBy(tokens, (token) => token.transactionId)) {
      const opening = changed.find(({ state }) => state === "opening");
      const replacing = changed.find(({ state }) => state === "replacing");
      const cancelled = await transactions.cancel(transactionId);
      if (!cancelled && opening !== undefined && replacing !== undefined) sent.push({ opening, replacing });
      else await this.undo(cancelled, opening?.tokenHash, replacing?.tokenHash);
    }
    return sent.sort((one, other) => one.replacing.expiresAt - other.replacing.expiresAt);
  }

  /** Completes the interrupted replacements that are mined before their tokens expire, and ends the others. */
  async complete(replacements: readonly Replacement[]): Promise<void> {
    for (const { opening, replacing } of replacements) {
      const left = (): number => replacing.expiresAt * 1000 - this.#deps.clock();
      const outcome = await this.#deps.transactions.outcome(opening.transactionId, Math.max(0, left()));
      // The process is about to end. The next one goes on.
      if (outcome.state === "pending" && left() > 0) return;
      if (outcome.state !== "confirmed")
        await this.undo(outcome.state !== "pending", opening.tokenHash, replacing.tokenHash);
      // Without an answer of the chain both tokens end.
      else await this.activate(opening, { tokenHash: replacing.tokenHash, keepsKeys: true }).catch(() => undefined);
    }
  }
}
