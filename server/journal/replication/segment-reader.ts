import type { JournalLine } from "../integrity/entry-chain.ts";
import type { SegmentTarget } from "./segment-target.ts";
import { BEFORE_FIRST, type SegmentManifest, verifySegment } from "./segment.ts";
import { SegmentFault } from "./segment-fault.ts";

/** The verified entries of one segment. */
export interface ReadSegment {
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
