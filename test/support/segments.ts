import type { JournalLine } from "../../server/journal/integrity/entry-chain.ts";
import { readSegments, type SegmentTarget } from "../../server/journal/replication/segment-target.ts";
import { BEFORE_FIRST, makeSegment, type Segment, type SegmentEnd } from "../../server/journal/replication/segment.ts";
import { MemoryJournal } from "./journal-source.ts";

/** Returns the first entries of a journal, split into segments of one size. */
export function segmentsOf(journal: MemoryJournal, size: number): Segment[] {
  const lines = journal.lineList;
  const segments: Segment[] = [];
  let end: SegmentEnd = BEFORE_FIRST;
  while (end.last < lines.length) {
    const segment = makeSegment(end, lines.slice(end.last, end.last + size));
    segments.push(segment);
    end = segment;
  }
  return segments;
}

/** Reads all segments of a target. */
export async function readAll(target: SegmentTarget): Promise<JournalLine[]> {
  const lines: JournalLine[] = [];
  for await (const segment of readSegments(target)) lines.push(...segment.lines);
  return lines;
}
