import type { Language } from "./category.ts";
import type { Frame } from "./readings.ts";
import type { Position, Reading } from "./reading.ts";

/** How a picture is to be. */
export interface PictureOptions {
  /** Language of legend and time; captions stay as they are. */
  readonly language: Language;
  /** Pixels; default 1024 for a map, 800 for a day. */
  readonly width?: number;
  /** Pixels; default 768 for a map, 640 for a day. */
  readonly height?: number;
  /** What has to be in the picture; default: all readings. */
  readonly around?: readonly Position[];
}

/** What the still picture says besides. */
export interface MapOptions extends PictureOptions {
  /** The moment that the readings are of; milliseconds since 1970. */
  readonly time: number;
}

/** Draws maps of readings. Work goes on beside the caller's thread. */
export interface Pictures {
  /**
   * A map of the values at one moment, as PNG. Without readings it says so.
   *
   * @throws RangeError for a width or height outside 320 to 2048
   */
  drawMap(readings: readonly Reading[], options: MapOptions): Promise<Uint8Array>;
  /**
   * A day as an animation that repeats, as GIF of less than 5 MB.
   *
   * @throws RangeError without frames, and for a width or height outside 320 to 2048
   */
  drawDay(frames: readonly Frame[], options: PictureOptions): Promise<Uint8Array>;
}
