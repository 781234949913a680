import type { ProofService } from "../domain/proofs/proof-service.ts";

const FIRST_WAIT_MILLISECONDS = 5_000;
const LONGEST_WAIT_MILLISECONDS = 10 * 60_000;

/**
 * Gives proofs whose transaction failed for good a new one: at the start, and then again and again, ever more rarely
 * while it helps nothing, so that an accepted proof is anchored as soon as what was wrong is mended.
 */
export class AnchorRetry {
  readonly #proofs: Pick<ProofService, "recover">;
  readonly #onRetry: (count: number) => void;
  #wait = FIRST_WAIT_MILLISECONDS;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param onRetry told how many were given a new transaction */
  constructor(proofs: Pick<ProofService, "recover">, onRetry: (count: number) => void) {
    this.#proofs = proofs;
    this.#onRetry = onRetry;
  }

  start(): void {
    this.#work = this.#retry();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#work;
  }

  async #retry(): Promise<void> {
    // A journal that cannot be asked now is asked again, like one that has failures.
    const count = await this.#proofs.recover().catch(() => undefined);
    if (count !== undefined && count > 0) this.#onRetry(count);
    this.#wait = count === 0 ? FIRST_WAIT_MILLISECONDS : Math.min(2 * this.#wait, LONGEST_WAIT_MILLISECONDS);
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.start(), this.#wait);
  }
}
