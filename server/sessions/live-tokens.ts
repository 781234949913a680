import type { SessionOnChain, SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import { SealbookError } from "../errors.ts";
import { hex } from "../kit/bytes.ts";
import type { Clock } from "../kit/time.ts";
import type { Session } from "./session.ts";

/** Tokens that are kept: those of the sessions that are open at a time. */
const MOST_TOKENS = 10_000;
/** How long an answer counts: another relayer can have replaced the token. */
const ANSWER_MILLISECONDS = 10_000;

/** What a token is used for. While the chain does not respond nothing is stored; the table is enough to read. */
export type Use = "reading" | "storing";

/** What the contract says of a token. */
interface TokenState {
  /** Whether it is the current one of a live session. */
  readonly isLive: boolean;
  readonly onChain: SessionOnChain | undefined;
}

export interface LiveTokensDeps {
  readonly chain: Pick<SessionRegistryClient, "isLive" | "sessionOf">;
  readonly clock: Clock;
}

/**
 * The tokens that the registry contract has called live a short time ago, as long as this process has not begun to
 * replace them: only the others have to be asked for.
 */
export class LiveTokens {
  readonly #deps: LiveTokensDeps;
  /** Until when, in Unix milliseconds, by hash; 0 from a replacement on, which an earlier answer does not undo. */
  readonly #until = new Map<string, number>();
  /** Questions that the chain has not answered yet: calls with one token at the same time are one. */
  readonly #asked = new Map<string, Promise<TokenState>>();

  constructor(deps: LiveTokensDeps) {
    this.#deps = deps;
  }

  /**
   * Checks that the contract has a token as the current one of a live session.
   * @throws SealbookError `token_invalid`, `token_expired`, `chain_unavailable`
   */
  async assertLive(session: Session, use: Use): Promise<void> {
    const { clock } = this.#deps;
    const askedAt = clock();
    if (askedAt < (this.#until.get(hex(session.tokenHash)) ?? 0)) return;
    const answer = await this.#ask(session, use);
    if (answer === undefined) return;
    const { isLive, onChain } = answer;
    if (onChain?.ended === true) throw new SealbookError("token_invalid", "the session was closed on the chain");
    if (onChain !== undefined && 1_000 * onChain.expiresAt <= clock())
      throw new SealbookError("token_expired", "the token has expired");
    if (isLive && onChain !== undefined) return this.add(session.tokenHash, askedAt, onChain.expiresAt);
    // A node can lag.
    throw new SealbookError("chain_unavailable", "the chain does not have this token", { retryAfterSeconds: 1 });
  }

  /**
   * Takes an answer of the contract.
   * @param askedAt Unix milliseconds
   * @param expiresAt Of the session on chain, Unix seconds
   */
  add(tokenHash: Uint8Array, askedAt: number, expiresAt: number): void {
    if (this.#until.get(hex(tokenHash)) === 0) return;
    this.#keep(tokenHash, Math.min(askedAt + ANSWER_MILLISECONDS, 1_000 * expiresAt));
  }

  /** Forgets a token that is to be replaced or closed. */
  delete(tokenHash: Uint8Array): void {
    this.#keep(tokenHash, 0);
  }

  /** Asks the contract; `undefined` when it cannot be asked and does not have to be. */
  async #ask(session: Session, use: Use): Promise<TokenState | undefined> {
    try {
      return await this.#stateOf(session);
    } catch (cause) {
      if (use === "reading") return undefined;
      const message = "the chain is not reachable; the record was not stored";
      throw new SealbookError("chain_unavailable", message, { cause, retryAfterSeconds: 5 });
    }
  }

  #stateOf(session: Session): Promise<TokenState> {
    const key = hex(session.tokenHash);
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const { chain } = this.#deps;
    const asking = Promise.all([chain.isLive(session), chain.sessionOf(session.id)])
      .then(([isLive, onChain]) => ({ isLive, onChain }))
      .finally(() => this.#asked.delete(key));
    this.#asked.set(key, asking);
    return asking;
  }

  #keep(tokenHash: Uint8Array, until: number): void {
    this.#until.delete(hex(tokenHash));
    this.#until.set(hex(tokenHash), until);
    const [oldest = ""] = this.#until.keys();
    if (this.#until.size > MOST_TOKENS) this.#until.delete(oldest);
  }
}
