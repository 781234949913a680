import { type Progress, showProgress } from "../proofs/file-run.ts";

/** Shows the progress of work in consecutive stages. */
export class Stages {
  #stage: string | undefined;
  #progress: Progress | undefined;
  #done = 0;

  /**
   * @param stage What is done, such as "checking entries"
   * @param unit What is counted
   */
  update(stage: string, unit: string, done: number, total: number): void {
    if (this.#stage !== stage) {
      this.stop();
      this.#stage = stage;
      this.#done = 0;
      this.#progress = showProgress(stage, total, unit);
    }
    this.#progress?.tick(done - this.#done);
    this.#done = done;
  }

  stop(): void {
    this.#progress?.stop();
  }
}
