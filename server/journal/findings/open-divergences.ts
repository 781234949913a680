import { causeOf } from "./subject.ts";

/** A difference that needs an operator, or that is not corrected yet. */
export interface Divergence {
  /** See `subject.ts`. */
  readonly subject: string;
  readonly message: string;
}

/** Returns the text by which an entry acknowledges a divergence. */
export function acknowledgedText({ subject, message }: Divergence): string {
  return `${subject}: ${message}`;
}

/** Divergences by their subjects, grouped by cause. */
export class OpenDivergences {
  /** Messages by cause and subject. */
  readonly #byCause = new Map<string, Map<string, string>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  all(): Divergence[] {
    return [...this.#byCause.values()].flatMap((alike) =>
      [...alike].map(([subject, message]) => ({ subject, message })),
    );
  }

  has(subject: string): boolean {
    return this.#byCause.get(causeOf(subject))?.has(subject) === true;
  }

  /** @returns false when it is there already */
  add({ subject, message }: Divergence): boolean {
    if (this.has(subject)) return false;
    const alike = this.#byCause.get(causeOf(subject)) ?? new Map<string, string>();
    this.#byCause.set(causeOf(subject), alike.set(subject, message));
    this.#size += 1;
    return true;
  }

  /** @returns false when it is not there */
  delete(subject: string): boolean {
    if (this.#byCause.get(causeOf(subject))?.delete(subject) !== true) return false;
    this.#size -= 1;
    return true;
  }

  /** Counts those of one cause. */
  countOf(cause: string): number {
    return this.#byCause.get(cause)?.size ?? 0;
  }

  /** Describes those of one cause; `undefined` when there are none. */
  textOf(cause: string): string | undefined {
    const [first] = this.#byCause.get(cause)?.values() ?? [];
    const count = this.countOf(cause);
    return count > 1 ? `${count.toLocaleString("en")} divergences of ${cause}; the first: ${first}` : first;
  }
}
