/** Lets one at a time use what they share, in the order in which they came. */
export class Turns {
  readonly #waiting: { readonly begin: () => void; readonly fail: (error: unknown) => void }[] = [];
  #isTaken = false;
  #failure: { readonly error: unknown } | undefined;

  /** Whether somebody has the turn. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Waits for the turn; the result ends it. */
  async take(): Promise<() => void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#isTaken) await new Promise<void>((begin, fail) => this.#waiting.push({ begin, fail }));
    this.#isTaken = true;
    return () => this.#end();
  }

  /** Fails all who wait, and all who come. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }

  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next.begin();
  }
}
