/** A scale bar with a round distance. */
export interface ScaleBar {
  readonly metres: number;
  readonly pixels: number;
}

/** Returns the longest bar of 1, 2 or 5 times a power of ten metres within the maximum width. */
export function scaleBar(metresPerPixel: number, maxPixels: number): ScaleBar {
  const most = metresPerPixel * maxPixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const metres = power * ([5, 2].find((step) => step * power <= most) ?? 1);
  return { metres, pixels: metres / metresPerPixel };
}
