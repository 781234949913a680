import { every, type Interval } from "../../kit/interval.ts";

/** Partitions are created months ahead: a few failed runs do no harm. */
const INTERVAL_MILLISECONDS = 60 * 60_000;

/** Creates the partitions of the coming months every hour. */
export class PartitionMaintenance {
  readonly #createPartitions: () => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #interval: Interval | undefined;

  /** @param onFailure Receives the error of a failed run; later runs still take place */
  constructor(createPartitions: () => Promise<void>, onFailure: (error: unknown) => void) {
    this.#createPartitions = createPartitions;
    this.#onFailure = onFailure;
  }

  start(): void {
    this.#interval = every(INTERVAL_MILLISECONDS, () => this.#createPartitions().catch(this.#onFailure));
  }

  async stop(): Promise<void> {
    await this.#interval?.stop();
  }
}
