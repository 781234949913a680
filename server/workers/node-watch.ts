import type { NodeInspector, NodeReport, Telemetry } from "../domain/ports.ts";

const LOOK_MILLISECONDS = 5_000;
/** Looks in a row that have to agree before something counts as wrong, or as right again. */
const LOOKS_TO_RAISE = 3;
const LOOKS_TO_RESOLVE = 2;

export interface NodeWatchParts {
  readonly inspect: NodeInspector;
  readonly telemetry: Pick<Telemetry, "nodeDown" | "nodeUp" | "syncLost" | "syncRegained">;
  /** Whether blocks come without anybody asking for them. */
  readonly regularBlocks: boolean;
  /** Blocks older than this mean that the network makes none any more, or that the node does not hear of them. */
  readonly staleSeconds: number;
  readonly lookMilliseconds?: number | undefined;
}

/** Watches over the chain's node: whether it answers, and whether it is where the network is. */
export class NodeWatch {
  readonly #parts: NodeWatchParts;
  readonly #down = new Steady(LOOKS_TO_RAISE, LOOKS_TO_RESOLVE);
  readonly #lost = new Steady(LOOKS_TO_RAISE, LOOKS_TO_RESOLVE);
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;

  constructor(parts: NodeWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#work ??= this.#look().finally(() => (this.#work = undefined));
    }, this.#parts.lookMilliseconds ?? LOOK_MILLISECONDS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }

  async #look(): Promise<void> {
    const { inspect, telemetry } = this.#parts;
    const report = await inspect().catch(() => undefined);
    if (this.#down.see(report === undefined)) telemetry.nodeDown();
    else telemetry.nodeUp();
    if (report === undefined) return;
    const reason = this.#lossOf(report);
    if (this.#lost.see(reason !== undefined)) telemetry.syncLost(reason ?? "the node is not where the network is");
    else telemetry.syncRegained();
  }

  #lossOf({ syncing, blockTime, peers, consensus }: NodeReport): string | undefined {
    const { regularBlocks, staleSeconds } = this.#parts;
    if (syncing) return "the node is catching up with the network";
    if (consensus.validators.length > 1 && peers === 0) return "the node has no peers";
    const age = Math.floor(Date.now() / 1000) - blockTime;
    return regularBlocks && age > staleSeconds ? `the newest block is ${age} s old` : undefined;
  }
}

/** A state that changes only when it was seen otherwise several times in a row. */
class Steady {
  readonly #toSet: number;
  readonly #toClear: number;
  #isSet = false;
  #otherwise = 0;

  constructor(toSet: number, toClear: number) {
    this.#toSet = toSet;
    this.#toClear = toClear;
  }

  see(value: boolean): boolean {
    this.#otherwise = value === this.#isSet ? 0 : this.#otherwise + 1;
    if (this.#otherwise >= (this.#isSet ? this.#toClear : this.#toSet)) {
      this.#isSet = value;
      this.#otherwise = 0;
    }
    return this.#isSet;
  }
}
