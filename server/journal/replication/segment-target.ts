import type { Segment, SegmentManifest } from "./segment.ts";

/**
 * A place outside this machine that keeps segments of the journal for good. All of it throws when the place is away.
 */
export interface SegmentTarget {
  /** What operators call it; holds no secrets. */
  readonly name: string;
  /**
   * The newest segment; `undefined` before the first one.
   * @throws SealbookError `conflict` when the place belongs to another journal
   */
  newest(): Promise<SegmentManifest | undefined>;
  /**
   * The manifest of a segment; `undefined` when it is not there.
   * @throws SegmentFault when it cannot be understood
   */
  manifest(number: number): Promise<SegmentManifest | undefined>;
  /**
   * The entries of a segment, one text for each.
   * @throws SegmentFault when their file is not the one that the manifest describes
   */
  read(manifest: SegmentManifest): Promise<string[]>;
  /**
   * Adds the segment that comes next. Nothing is ever overwritten: of several writers of one number one succeeds.
   * @returns false when the number is taken
   * @throws SealbookError `conflict` when the segment before it is not there
   */
  write(segment: Segment): Promise<boolean>;
  /** Lets go of connections. */
  close(): void;
}
