/**
 * Memory for bodies that are being received or processed, in total and for one source. A body counts with its declared
 * length until its response is sent: a client that declares 16 MiB and sends nothing cannot use memory of others,
 * and one that declares too little is cut off by the parser.
 */
export class BodyBudget {
  readonly #total: number;
  readonly #perSource: number;
  readonly #bySource = new Map<string, number>();
  #used = 0;

  constructor(total: number, perSource: number) {
    this.#total = total;
    this.#perSource = perSource;
  }

  /**
   * Reserves memory.
   * @returns releases it; `undefined` when the source or all sources together use too much
   */
  reserve(source: string, bytes: number): (() => void) | undefined {
    const ofSource = this.#bySource.get(source) ?? 0;
    if (this.#used + bytes > this.#total || ofSource + bytes > this.#perSource) return undefined;
    this.#used += bytes;
    this.#bySource.set(source, ofSource + bytes);
    return () => {
      this.#used -= bytes;
      const left = (this.#bySource.get(source) ?? 0) - bytes;
      if (left > 0) this.#bySource.set(source, left);
      else this.#bySource.delete(source);
    };
  }
}
