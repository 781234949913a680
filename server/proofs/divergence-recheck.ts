import { every, type Interval } from "../kit/time.ts";
import type { ProofVerifier } from "./verifier.ts";

/** Maximum number of subjects per run; a later run continues after them. */
const MAX_SUBJECTS = 100;

export interface DivergenceRecheckDeps {
  readonly verifier: Pick<ProofVerifier, "recheck">;
  /** Returns the subjects of the open divergences, also those from before this start. */
  readonly subjects: () => readonly string[];
  readonly intervalMilliseconds: number;
}

/**
 * Checks the divergences again that verifications, statements and comparisons of restored documents found. The regular
 * comparison of journal and chain does so for its own.
 */
export class DivergenceRecheck {
  readonly #deps: DivergenceRecheckDeps;
  #interval: Interval | undefined;
  #reached = 0;

  constructor(deps: DivergenceRecheckDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#interval = every(this.#deps.intervalMilliseconds, () => this.#run());
  }

  async stop(): Promise<void> {
    await this.#interval?.stop();
  }

  async #run(): Promise<void> {
    const { verifier, subjects } = this.#deps;
    const all = subjects();
    if (this.#reached >= all.length) this.#reached = 0;
    const some = all.slice(this.#reached, this.#reached + MAX_SUBJECTS);
    this.#reached += some.length;
    // An unavailable chain or journal leaves the divergence open; a later run checks it.
    for (const subject of some) await verifier.recheck(subject).catch(() => undefined);
  }
}
