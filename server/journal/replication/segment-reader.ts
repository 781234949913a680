import type { JournalLine } from "../integrity/entry-chain.ts";
import type { SegmentTarget } from "./segment-target.ts";
import { BEFORE_FIRST, type SegmentManifest, verifySegment } from "./segment.ts";
import { SegmentFault } from "./segment-fault.ts";

/** What a reader gives out: the entries of one segment, all of them checked. */
export interface ReadSegment {
  readonly manifest: SegmentManifest;
  readonly lines: readonly JournalLine[];
  /** Segments read so far, with this one. */
  readonly done: number;
  /** Segments that there were when the reading began. */
  readonly total: number;
}

/**
 * Reads everything that a target has, from the first entry on. One segment is in memory at a time, and nothing of it is
 * given out before all of it is checked: its file's SHA-256, its entries' digest, and that it goes on where the one
 * before it ended.
 * @throws SegmentFault that says what is wrong with which segment
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
    // All before it can be read still; the fault is met again when its turn comes.
    if (error instanceof SegmentFault) return error.segment;
    throw error;
  }
}
