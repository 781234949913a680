/** What a figure has to reach. */
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
  /** Further figures; the end of a key, such as `_ms`, is its unit. */
  readonly details?: Readonly<Record<string, number>>;
  readonly targets?: readonly Target[];
}

/** `value` has to be at least `bound`. */
export function atLeast(value: number, bound: number, unit: string): Target {
  return { text: `at least ${grouped(bound)} ${unit}`, met: value >= bound };
}

/** `value` has to be at most `bound`. */
export function atMost(value: number, bound: number, unit: string): Target {
  return { text: `at most ${grouped(bound)} ${unit}`, met: value <= bound };
}

/** A figure with as many digits as mean something. */
export function rounded(value: number): number {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Number(value.toFixed(digits));
}

/** A figure as people read it. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}
