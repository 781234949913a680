import { hex } from "../kit/bytes.ts";

/** Tokens that are kept: those of the sessions that are open at a time. */
const MOST_TOKENS = 10_000;
/** How long an answer counts: another relayer can have replaced the token. */
const ANSWER_MILLISECONDS = 10_000;

/**
 * The tokens that the registry contract has called live a short time ago, as long as this process has not begun to
 * replace them: only the others have to be asked for.
 */
export class LiveTokens {
  /** Until when, in Unix milliseconds, by hash; 0 from a replacement on, which an earlier answer does not undo. */
  readonly #until = new Map<string, number>();

  /**
   * @param now When the contract was asked, Unix milliseconds
   * @param expiresAt Of the session on chain, Unix seconds
   */
  add(tokenHash: Uint8Array, now: number, expiresAt: number): void {
    if (this.#until.get(hex(tokenHash)) === 0) return;
    this.#keep(tokenHash, Math.min(now + ANSWER_MILLISECONDS, 1_000 * expiresAt));
  }

  delete(tokenHash: Uint8Array): void {
    this.#keep(tokenHash, 0);
  }

  has(tokenHash: Uint8Array, now: number): boolean {
    return now < (this.#until.get(hex(tokenHash)) ?? 0);
  }

  #keep(tokenHash: Uint8Array, until: number): void {
    this.#until.delete(hex(tokenHash));
    this.#until.set(hex(tokenHash), until);
    const [oldest = ""] = this.#until.keys();
    if (this.#until.size > MOST_TOKENS) this.#until.delete(oldest);
  }
}
