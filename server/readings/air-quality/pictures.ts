import type { Language } from "./category.ts";
import type { Frame } from "./readings.ts";
import type { Position, Reading } from "./reading.ts";

/** Options of a picture. */
export interface PictureOptions {
  /** Language of legend and time; captions are not translated. */
  readonly language: Language;
  /** Pixels; default 1024 for a map, 800 for a day. */
  readonly width?: number;
  /** Pixels; default 768 for a map, 640 for a day. */
  readonly height?: number;
  /** Positions that the picture must include; default: all readings. */
  readonly around?: readonly Position[];
}

/** Options of a still picture. */
export interface MapOptions extends PictureOptions {
  /** Time of the readings; milliseconds since 1970. */
  readonly time: number;
}

/** Draws maps of readings in another thread. */
export interface Pictures {
  /**
   * Draws a map of the values at one time, as PNG. Without readings the map shows a note.
   *
   * @throws RangeError for a width or height outside 320 to 2048
   */
  drawMap(readings: readonly Reading[], options: MapOptions): Promise<Uint8Array>;
  /**
   * Draws a day as a looping animation, as GIF of less than 5 MB.
   *
   * @throws RangeError without frames, and for a width or height outside 320 to 2048
   */
  drawDay(frames: readonly Frame[], options: PictureOptions): Promise<Uint8Array>;
}
