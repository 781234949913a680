import { type Image, loadImage } from "@napi-rs/canvas";

/** Source of tiles. */
export interface TileSource {
  /** URL with `{z}`, `{x}` and `{y}`, and optionally `{s}` for one of the subdomains `a`, `b` and `c`. */
  readonly template: string;
  /** The provider's attribution. */
  readonly attribution: string;
}

/** A tile's position: column and row from the north-west corner. */
export interface TilePosition {
  readonly zoom: number;
  readonly column: number;
  readonly row: number;
}

/** Timeout of a tile request. */
const TIMEOUT_MILLISECONDS = 4_000;
/** Pause of all requests after a failed tile. */
const PAUSE_MILLISECONDS = 60_000;
const MAX_KEPT_BYTES = 24 * 1024 * 1024;
const MAX_TILE_BYTES = 1024 * 1024;

/** Returns the address of a tile. */
export function tileUrl(template: string, { zoom, column, row }: TilePosition): string {
  const parts: Record<string, number | string> = { z: zoom, x: column, y: row, s: "abc".charAt((column + row) % 3) };
  return template.replace(/\{([zxys])\}/g, (_, part: string) => String(parts[part]));
}

/** Fetches tiles and caches the most recently used ones. */
export class TileStore {
  readonly #source: TileSource;
  readonly #cache = new Map<string, Buffer>();
  #cacheBytes = 0;
  #pausedUntil = 0;

  constructor(source: TileSource) {
    this.#source = source;
  }

  get attribution(): string {
    return this.#source.attribution;
  }

  /** Returns the requested tiles in order; `undefined` if one of them is unavailable. */
  async images(positions: readonly TilePosition[]): Promise<Image[] | undefined> {
    const urls = positions.map((position) => tileUrl(this.#source.template, position));
    if (urls.some((url) => !this.#cache.has(url)) && Date.now() < this.#pausedUntil) return undefined;
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    try {
      return await Promise.all(urls.map(async (url) => loadImage(await this.#bytes(url, signal))));
    } catch {
      this.#pausedUntil = Date.now() + PAUSE_MILLISECONDS;
      return undefined;
    }
  }

  async #bytes(url: string, signal: AbortSignal): Promise<Buffer> {
    const cached = this.#cache.get(url);
    if (cached !== undefined) {
      // The map keeps its insertion order: the first entry is the least recently used one.
      this.#cache.delete(url);
      this.#cache.set(url, cached);
      return cached;
    }
    const response = await fetch(url, { signal, headers: { "User-Agent": "Sealbook" } });
    if (!response.ok) throw new Error(`${response.status} for a tile`);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (bytes.length > MAX_TILE_BYTES) throw new Error("a tile is too large");
    this.#add(url, bytes);
    return bytes;
  }

  #add(url: string, bytes: Buffer): void {
    this.#cache.set(url, bytes);
    this.#cacheBytes += bytes.length;
    for (const [oldest, { length }] of this.#cache) {
      if (this.#cacheBytes <= MAX_KEPT_BYTES) break;
      this.#cache.delete(oldest);
      this.#cacheBytes -= length;
    }
  }
}
