/** Maximum number of marks, so that an outage of any length needs no more memory. */
const MAX_MARKS = 1_000;

/** The lag of a target. */
export interface Lag {
  /** Number of entries that the target lacks. */
  readonly entries: number;
  /** Seconds since the oldest of them was first observed; 0 when there is none. */
  readonly seconds: number;
}

/** Measures how long entries of the journal wait for replication. Times are Unix milliseconds. */
export class ReplicationLag {
  /** The newest entry observed at each time, as far as entries are not replicated. */
  #marks: { readonly sequence: number; readonly time: number }[] = [];
  #head = 0;
  #replicated = 0;

  /** Records the newest entry of the journal. */
  seen(sequence: number, now: number): void {
    if (sequence > this.#replicated && sequence > (this.#marks.at(-1)?.sequence ?? 0)) {
      this.#marks.push({ sequence, time: now });
      if (this.#marks.length > MAX_MARKS) this.#thin();
    }
    this.#head = Math.max(this.#head, sequence);
  }

  /** Records that the target has all entries up to one. */
  replicated(sequence: number): void {
    this.#replicated = sequence;
    this.#head = Math.max(this.#head, sequence);
    this.#marks = this.#marks.filter((mark) => mark.sequence > sequence);
  }

  at(now: number): Lag {
    const oldest = this.#marks[0];
    return {
      entries: this.#head - this.#replicated,
      seconds: oldest === undefined ? 0 : Math.max(0, (now - oldest.time) / 1000),
    };
  }

  /**
   * Merges pairs of marks: entries observed at the later one count as observed at the earlier one, never the reverse.
   */
  #thin(): void {
    this.#marks = this.#marks.flatMap(({ time }, index, marks) => {
      if (index % 2 === 1) return [];
      return { time, sequence: (marks[index + 1] ?? marks[index])?.sequence ?? 0 };
    });
  }
}
