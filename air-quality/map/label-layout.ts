import type { Pixel, Size } from "./view.ts";

/** A box of pixels; x and y are its upper left corner. */
export interface Box extends Pixel, Size {}

/** A mark with a label. */
export interface Labelled extends Pixel {
  /** Radius of the mark, in pixels. */
  readonly radius: number;
  /** Possible sizes of the label in order of preference. */
  readonly sizes: readonly Size[];
}

/** Position of a label. */
export interface Placed {
  readonly box: Box;
  /** Index of the chosen size. */
  readonly size: number;
  /** End of the line from the mark, when the label is not next to it. */
  readonly leader?: Pixel;
}

/** Pixels between a mark and its label next to the mark. */
const BESIDE = 3;
/** Pixels between a mark and its label when a line connects them. */
const APART = [14, 26, 42, 62];
/** Right, left, above, below, and the diagonals. */
const DIRECTIONS: readonly (readonly [x: number, y: number])[] = [
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [0.7, -0.7],
  [0.7, 0.7],
  [-0.7, -0.7],
  [-0.7, 0.7],
];
/** Free pixels around a label. */
const MARGIN = 2;

/** Options of the layout. */
export interface LayoutOptions {
  /** Additional areas without labels. */
  readonly taken?: readonly Box[];
  /** Whether a label may be apart from its mark, connected by a line. Default true. */
  readonly leaders?: boolean;
}

/**
 * Positions labels so that they cover neither each other nor any mark. Most important marks first.
 *
 * @param bounds Area for labels
 * @returns For each mark the position of its label, `undefined` without one
 */
export function layOut(
  marks: readonly Labelled[],
  bounds: Box,
  { taken = [], leaders: mayLead = true }: LayoutOptions = {},
): (Placed | undefined)[] {
  const marked = marks.map(({ x, y, radius }) => ({
    x: x - radius,
    y: y - radius,
    width: 2 * radius,
    height: 2 * radius,
  }));
  const occupied = [...taken, ...marked];
  const labels: Box[] = [];
  const leaders: [Pixel, Pixel][] = [];
  return marks.map((mark, own) => {
    const placed = firstFree(mark, mayLead ? [BESIDE, ...APART] : [BESIDE], ({ box, leader }) => {
      const room = {
        x: box.x - MARGIN,
        y: box.y - MARGIN,
        width: box.width + 2 * MARGIN,
        height: box.height + 2 * MARGIN,
      };
      return (
        isWithin(box, bounds) &&
        ![...occupied, ...labels].some((other) => overlap(room, other)) &&
        !leaders.some(([from, to]) => crosses(from, to, room)) &&
        (leader === undefined || ![...labels, ...others(marked, own)].some((other) => crosses(mark, leader, other)))
      );
    });
    if (placed === undefined) return undefined;
    labels.push(placed.box);
    if (placed.leader !== undefined) leaders.push([mark, placed.leader]);
    return placed;
  });
}

function others(marked: readonly Box[], own: number): Box[] {
  return marked.filter((_, index) => index !== own);
}

function firstFree(
  mark: Labelled,
  distances: readonly number[],
  isFree: (placed: Placed) => boolean,
): Placed | undefined {
  for (const [size, { width, height }] of mark.sizes.entries()) {
    for (const distance of distances) {
      for (const [dx, dy] of DIRECTIONS) {
        const reach = mark.radius + distance;
        const near = { x: mark.x + dx * reach, y: mark.y + dy * reach };
        // The point of the box that is nearest to the mark is the one in that direction.
        const box = {
          x: near.x - ((1 - Math.sign(dx)) / 2) * width,
          y: near.y - ((1 - Math.sign(dy)) / 2) * height,
          width,
          height,
        };
        const placed = { box, size, ...(distance === BESIDE ? {} : { leader: near }) };
        if (isFree(placed)) return placed;
      }
    }
  }
  return undefined;
}

/** Whether two boxes have a pixel in common. */
export function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** Whether a straight line crosses a box (Liang-Barsky clipping). */
function crosses(from: Pixel, to: Pixel, box: Box): boolean {
  let [enter, leave] = [0, 1];
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  for (const [direction, room] of [
    [-dx, from.x - box.x],
    [dx, box.x + box.width - from.x],
    [-dy, from.y - box.y],
    [dy, box.y + box.height - from.y],
  ] as const) {
    if (direction === 0) {
      if (room < 0) return false;
    } else if (direction < 0) {
      enter = Math.max(enter, room / direction);
    } else {
      leave = Math.min(leave, room / direction);
    }
  }
  return enter < leave;
}
