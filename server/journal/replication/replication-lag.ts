/** Marks kept; an outage of any length takes no more memory. */
const MAX_MARKS = 1_000;

/** How far a target is behind the journal. */
export interface Lag {
  /** Entries that are not there yet. */
  readonly entries: number;
  /** Seconds since the oldest of them was first seen; 0 when there is none. */
  readonly seconds: number;
}

/** Keeps account of how long entries of the journal have waited to be shipped. Times are Unix milliseconds. */
export class ShippingLag {
  /** Up to which entry the journal was seen to reach at what time; only what is not shipped. */
  #marks: { readonly sequence: number; readonly time: number }[] = [];
  #head = 0;
  #shipped = 0;

  /** The journal reaches up to an entry. */
  seen(sequence: number, now: number): void {
    if (sequence > this.#shipped && sequence > (this.#marks.at(-1)?.sequence ?? 0)) {
      this.#marks.push({ sequence, time: now });
      if (this.#marks.length > MAX_MARKS) this.#thin();
    }
    this.#head = Math.max(this.#head, sequence);
  }

  /** The target has everything up to an entry. */
  shipped(sequence: number): void {
    this.#shipped = sequence;
    this.#head = Math.max(this.#head, sequence);
    this.#marks = this.#marks.filter((mark) => mark.sequence > sequence);
  }

  at(now: number): Lag {
    const oldest = this.#marks[0];
    return {
      entries: this.#head - this.#shipped,
      seconds: oldest === undefined ? 0 : Math.max(0, (now - oldest.time) / 1000),
    };
  }

  /**
   * Makes one mark of two: entries seen at the later one count as seen at the earlier one, never the other way round.
   */
  #thin(): void {
    this.#marks = this.#marks.flatMap(({ time }, index, marks) => {
      if (index % 2 === 1) return [];
      return { time, sequence: (marks[index + 1] ?? marks[index])?.sequence ?? 0 };
    });
  }
}
