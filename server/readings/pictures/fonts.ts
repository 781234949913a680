import { createRequire } from "node:module";
import { GlobalFonts } from "@napi-rs/canvas";

/** The bundled font, because a machine can have no fonts. */
export const FONT_FAMILY = "Sealbook Map";

const FILES = ["DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf"];

/** Registers the font with the canvas. Missing characters come from fonts of the system, if there are any. */
export function registerFonts(): void {
  const { resolve } = createRequire(import.meta.url);
  for (const file of FILES) {
    const path = resolve(`dejavu-fonts-ttf/ttf/${file}`);
    if (GlobalFonts.registerFromPath(path, FONT_FAMILY) === null) throw new Error(`${path} is no font`);
  }
}

/** Returns a font for the canvas. */
export function font(pixels: number, weight: "normal" | "bold" = "normal"): string {
  return `${weight} ${pixels}px "${FONT_FAMILY}"`;
}
