import type { Clock } from "../kit/time.ts";

/** A step of the event indexer. */
export type SyncEvent =
  /** The indexer starts, or found its last block on the chain again. */
  | { readonly kind: "resumed"; readonly after: number; readonly head: number }
  | { readonly kind: "indexed"; readonly from: number; readonly to: number; readonly rows: number }
  /** The indexed blocks are not on the chain; the index is built again. */
  | { readonly kind: "rebuilding"; readonly reason: string }
  | { readonly kind: "failing"; readonly reason: string };

/** A step with the Unix milliseconds of its end. */
export type SyncStep = SyncEvent & { readonly time: number };

const MAX_STEPS = 100;

/** The newest steps of the event indexer since the server's start. Blocks without rows make one step. */
export class SyncLog {
  readonly #clock: Clock;
  readonly #steps: SyncStep[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(event: SyncEvent): void {
    const step = { ...event, time: this.#clock() };
    const last = this.#steps.at(-1);
    const joined = last && join(last, step);
    if (joined !== undefined) this.#steps[this.#steps.length - 1] = joined;
    else this.#steps.push(step);
    if (this.#steps.length > MAX_STEPS) this.#steps.shift();
  }

  /** Returns the steps, newest first. */
  newest(limit: number): readonly SyncStep[] {
    return this.#steps.slice(-limit).reverse();
  }
}

/** Returns one step for two of the same kind that differ in their time or blocks only. */
function join(last: SyncStep, next: SyncStep): SyncStep | undefined {
  if (last.kind === "indexed" && next.kind === "indexed")
    return last.rows === 0 && next.rows === 0 && last.to + 1 === next.from ? { ...next, from: last.from } : undefined;
  if (last.kind === "failing" && next.kind === "failing") return last.reason === next.reason ? next : undefined;
  return undefined;
}
