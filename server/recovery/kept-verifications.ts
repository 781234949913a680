import type { Clock } from "../kit/time.ts";
import type { RecordedVerification, RecoveryVerification } from "./verification.ts";
import type { VerificationStore } from "./verification-store.ts";

/** Bounds of the comparisons that are kept. */
export interface VerificationLimits {
  readonly retentionMilliseconds: number;
  /** Documents of one caller, and of all. */
  readonly perCaller: number;
  readonly total: number;
}

/** Documents that a comparison counts as in addition to its own: many small comparisons cost as well. */
export const BASE_ROOM = 1_000;
/** Age from which an unfinished comparison counts as aborted. */
const LONGEST_MILLISECONDS = 24 * 3_600_000;

export interface KeptVerificationsDeps {
  readonly store: VerificationStore;
  readonly limits: VerificationLimits;
  readonly clock: Clock;
}

/** A comparison whose documents are stored while it runs. */
export interface Keeping {
  /**
   * Stores documents.
   * @returns false when there is no room: the comparison is not kept
   */
  add(documentIds: readonly string[]): Promise<boolean>;
  /** Appends the result to the journal. */
  finish(verification: RecoveryVerification, signed: string | undefined): Promise<RecordedVerification>;
  /** Deletes everything that is stored of it. */
  abandon(): Promise<void>;
}

/**
 * Keeps the documents of comparisons for a limited time and in limited number. For a new comparison, the oldest ones of
 * the same caller make room, or those of the caller with the most documents.
 */
export class KeptVerifications {
  readonly #store: VerificationStore;
  readonly #limits: VerificationLimits;
  readonly #clock: Clock;

  constructor({ store, limits, clock }: KeptVerificationsDeps) {
    this.#store = store;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** @returns `undefined` when there is no room */
  async begin(id: string, caller: string): Promise<Keeping | undefined> {
    const store = this.#store;
    let room = BASE_ROOM;
    if (!(await this.#makeRoom(caller, 0, room))) return undefined;
    await store.begin({ id, caller, startedAt: this.#clock(), room });
    return {
      add: async (documentIds) => {
        if (!(await this.#makeRoom(caller, room, documentIds.length))) return false;
        room += documentIds.length;
        await store.addRestored(id, documentIds);
        return true;
      },
      finish: (verification, signed) => store.finish(verification, signed),
      abandon: () => store.forget(id),
    };
  }

  /**
   * Deletes the documents of comparisons that are kept long enough, and of those that were aborted long ago. The result
   * of a finished comparison stays in the journal.
   */
  async expire(): Promise<void> {
    const now = this.#clock();
    for (const id of await this.#store.unfinished(now - LONGEST_MILLISECONDS)) await this.#store.forget(id);
    const before = now - this.#limits.retentionMilliseconds;
    for (const id of await this.#store.finishedBefore(before)) await this.#store.release(id);
  }

  /** @param taken Room of the running comparison, which the caller's room includes */
  async #makeRoom(caller: string, taken: number, more: number): Promise<boolean> {
    const { perCaller, total } = this.#limits;
    if (taken + more > Math.min(perCaller, total)) return false;
    for (;;) {
      const rooms = await this.#store.rooms();
      const own = rooms.find((each) => each.caller === caller)?.room ?? 0;
      const all = rooms.reduce((sum, { room }) => sum + room, 0);
      const [largest] = rooms.toSorted((a, b) => b.room - a.room);
      const giving = own + more > perCaller ? caller : all + more > total ? largest?.caller : undefined;
      if (giving === undefined) return true;
      const oldest = await this.#store.oldest(giving);
      if (oldest === undefined) return false;
      await this.#store.release(oldest);
    }
  }
}
