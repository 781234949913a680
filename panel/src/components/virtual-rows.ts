import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Rows that are drawn before and after those in sight. */
const MORE_ROWS = 20;
/** Rows that are drawn for a printer; ten thousand would make the page slow. */
const MOST_PRINTED = 2_000;

/** The rows that are drawn, and the height of those above and below. */
export interface DrawnRows {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  readonly above: number;
  readonly below: number;
}

/**
 * Draws only the rows in sight, of a table with rows of one height in a page that scrolls.
 * @param body The body of the table
 * @param height Height of a row in pixels
 */
export function useVirtualRows(body: RefObject<HTMLElement | null>, count: number, height: number): DrawnRows {
  const drawn = useSignal({ first: 0, end: 0 });
  useLayoutEffect(() => {
    const draw = (first: number, end: number): void => {
      const { value } = drawn;
      if (value.first !== first || value.end !== end) drawn.value = { first, end };
    };
    const update = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const first = Math.floor(-top / height) - MORE_ROWS;
      const end = Math.ceil((innerHeight - top) / height) + MORE_ROWS;
      // In steps, so that a row drawn is not one redrawn.
      draw(stepDown(Math.min(Math.max(0, first), count)), Math.min(count, stepDown(Math.max(0, end)) + MORE_ROWS));
    };
    const print = (): void => draw(0, Math.min(count, MOST_PRINTED));
    const listeners = [
      ["scroll", update],
      ["resize", update],
      ["beforeprint", print],
      ["afterprint", update],
    ] as const;
    update();
    for (const [name, listener] of listeners) addEventListener(name, listener, { passive: true });
    return () => {
      for (const [name, listener] of listeners) removeEventListener(name, listener);
    };
  }, [count, height]);
  const { first, end } = drawn.value;
  return { first, end, above: first * height, below: Math.max(0, count - end) * height };
}

function stepDown(row: number): number {
  return row - (row % MORE_ROWS);
}
