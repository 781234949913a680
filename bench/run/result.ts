/** The bound of a figure. */
export interface Target {
  readonly text: string;
  readonly met: boolean;
}

/** One measured figure. */
export interface Result {
  readonly section: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Further figures; the suffix of a key, such as `_ms`, is its unit. */
  readonly details?: Readonly<Record<string, number>>;
  readonly targets?: readonly Target[];
}

/** A target: `value` must be at least `bound`. */
export function atLeast(value: number, bound: number, unit: string): Target {
  return { text: `at least ${grouped(bound)} ${unit}`, met: value >= bound };
}

/** A target: `value` must be at most `bound`. */
export function atMost(value: number, bound: number, unit: string): Target {
  return { text: `at most ${grouped(bound)} ${unit}`, met: value <= bound };
}

/** A target: `value` must be less than `bound`. */
export function below(value: number, bound: number, unit: string): Target {
  return { text: `below ${grouped(bound)} ${unit}`, met: value < bound };
}

/** Rounds a figure to its significant digits. */
export function rounded(value: number): number {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Number(value.toFixed(digits));
}

/** Formats a figure with grouped digits. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}
