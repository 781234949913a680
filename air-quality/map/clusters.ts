import type { Pixel } from "./view.ts";

/** Items so close to each other that one mark represents them. */
export interface Cluster<T> extends Pixel {
  /** The mark has the position of the first item. */
  readonly members: readonly [T, ...T[]];
}

/**
 * Groups items whose marks would overlap.
 *
 * @param things Most important first: a cluster has the position of its first item
 * @param distance Pixels below which two marks are merged
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
