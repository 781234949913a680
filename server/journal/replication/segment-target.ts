import type { Segment, SegmentManifest } from "./segment.ts";

/**
 * A target outside of this machine that stores segments of the journal permanently. Every method throws when the target
 * is unavailable.
 */
export interface SegmentTarget {
  /** Name for operators; contains no secrets. */
  readonly name: string;
  /**
   * Returns the newest segment; `undefined` before the first one.
   * @throws SealbookError `conflict` when the target belongs to another journal
   */
  newest(): Promise<SegmentManifest | undefined>;
  /**
   * Returns the manifest of a segment; `undefined` when it does not exist.
   * @throws SegmentFault when the manifest is invalid
   */
  manifest(number: number): Promise<SegmentManifest | undefined>;
  /**
   * Returns the entries of a segment, as one text each.
   * @throws SegmentFault when their file does not match the manifest
   */
  read(manifest: SegmentManifest): Promise<string[]>;
  /**
   * Appends the next segment. Never overwrites: of several writers of one number exactly one succeeds.
   * @returns false when the number is taken
   * @throws SealbookError `conflict` when the previous segment is missing
   */
  write(segment: Segment): Promise<boolean>;
  /** Closes connections. */
  close(): void;
}
