import type { Language } from "../category.ts";
import type { Position } from "../reading.ts";

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
