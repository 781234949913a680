import { BEFORE_FIRST, type Segment, SegmentFault, type SegmentManifest, verifySegment } from "./segment.ts";
import type { JournalLine } from "../integrity/entry-chain.ts";

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

/** The verified entries of one segment. */
interface ReadSegment {
  readonly manifest: SegmentManifest;
  readonly lines: readonly JournalLine[];
  /** Number of segments read so far, including this one. */
  readonly done: number;
  /** Number of segments at the start. */
  readonly total: number;
}

/**
 * Reads all segments of a target, from the first entry on. One segment is in memory at a time, and is returned only
 * after all of it is verified: its file's SHA-256, its entries' digest, and its continuity with the previous segment.
 * @throws SegmentFault with the fault and the segment
 */
export async function* readSegments(
  target: Pick<SegmentTarget, "newest" | "manifest" | "read">,
): AsyncGenerator<ReadSegment, void> {
  const total = await newestNumber(target);
  let end = BEFORE_FIRST;
  while (end.number < total) {
    const number = end.number + 1;
    const manifest = await target.manifest(number);
    if (manifest === undefined) throw new SegmentFault(number, `is missing, though there are segments up to ${total}`);
    const texts = await target.read(manifest);
    const lines = texts.map((text, index) => ({ sequence: manifest.first + index, text }));
    end = verifySegment(manifest, lines, end);
    yield { manifest, lines, done: number, total };
  }
}

async function newestNumber(target: Pick<SegmentTarget, "newest">): Promise<number> {
  try {
    return (await target.newest())?.number ?? 0;
  } catch (error) {
    // The earlier segments are readable; the fault is thrown at its segment.
    if (error instanceof SegmentFault) return error.segment;
    throw error;
  }
}
