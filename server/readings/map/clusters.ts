import type { Pixel } from "./view.ts";

/** Items so close to each other that one mark represents them. */
export interface Cluster<T> extends Pixel {
  /** The mark has the position of the first item. */
  readonly members: readonly [T, ...T[]];
}

/**
 * Gathers what would be drawn over each other.
 *
 * @param things What counts most comes first: its place is kept
 * @param distance Pixels below which two marks become one
 */
export function clustersOf<T>(things: readonly T[], placeOf: (thing: T) => Pixel, distance: number): Cluster<T>[] {
  const clusters: (Pixel & { members: [T, ...T[]] })[] = [];
  for (const thing of things) {
    const { x, y } = placeOf(thing);
    const near = clusters.find((cluster) => Math.hypot(cluster.x - x, cluster.y - y) < distance);
    if (near === undefined) clusters.push({ x, y, members: [thing] });
    else near.members.push(thing);
  }
  return clusters;
}
