// The package has no types; this declares the used part.
declare module "gifenc" {
  type Palette = [red: number, green: number, blue: number][];
  interface FrameOptions {
    palette?: Palette;
    /** Milliseconds. */
    delay?: number;
    /** Number of repetitions of the animation: 0 is endless. */
    repeat?: number;
    transparent?: boolean;
    transparentIndex?: number;
    /** Disposal of the frame before the next one: 1 keeps it. */
    dispose?: number;
  }
  interface Encoder {
    writeFrame(index: Uint8Array, width: number, height: number, options: FrameOptions): void;
    finish(): void;
    bytes(): Uint8Array;
  }
  const gifenc: {
    GIFEncoder(): Encoder;
    quantize(rgba: Uint8ClampedArray, maxColors: number): Palette;
    applyPalette(rgba: Uint8ClampedArray, palette: Palette): Uint8Array;
  };
  export default gifenc;
}
