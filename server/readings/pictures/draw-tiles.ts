import type { SKRSContext2D } from "@napi-rs/canvas";
import { TILE_SIZE, worldSize } from "../map/mercator.ts";
import { extentOf, type View } from "../map/view.ts";
import type { TilePosition, TileStore } from "./tile-store.ts";

/**
 * Draws tiles over the whole view, which must have an integer zoom.
 *
 * @returns false when the tiles are unavailable; nothing was drawn then
 */
export async function drawTiles(context: SKRSContext2D, tiles: TileStore, view: View): Promise<boolean> {
  const size = worldSize(view.zoom);
  const { west, north, east, south } = extentOf(view);
  const perSide = 2 ** view.zoom;
  const placed: { tile: TilePosition; x: number; y: number }[] = [];
  for (let row = Math.max(0, Math.floor(north * perSide)); row < Math.min(perSide, south * perSide); row += 1) {
    for (let column = Math.floor(west * perSide); column < east * perSide; column += 1) {
      const tile = { zoom: view.zoom, column: ((column % perSide) + perSide) % perSide, row };
      placed.push({
        tile,
        x: Math.round(column * TILE_SIZE - west * size),
        y: Math.round(row * TILE_SIZE - north * size),
      });
    }
  }
  const images = await tiles.images(placed.map(({ tile }) => tile));
  if (images === undefined) return false;
  for (const [index, image] of images.entries()) {
    const { x, y } = placed[index] ?? { x: 0, y: 0 };
    context.drawImage(image, x, y, TILE_SIZE, TILE_SIZE);
  }
  return true;
}
