import { follow, GENESIS_DIGEST, type JournalHead, type JournalLine } from "../integrity/entry-chain.ts";
import { hex } from "../../kit/bytes.ts";

/** A fault of a segment at a target, with its position. */
export class SegmentFault extends Error {
  readonly segment: number;
  /** Sequence of the invalid entry, when the fault concerns a single entry. */
  readonly sequence: number | undefined;

  constructor(segment: number, message: string, sequence?: number) {
    super(`segment ${segment}${sequence === undefined ? "" : `, entry ${sequence}`}: ${message}`);
    this.name = "SegmentFault";
    this.segment = segment;
    this.sequence = sequence;
  }
}

/** Format identifier in the manifest of a segment. */
export const SEGMENT_FORMAT = "sealbook-segment/1";

/** The manifest of a segment. A segment exists as soon as its manifest exists. */
export interface SegmentManifest {
  readonly format: typeof SEGMENT_FORMAT;
  /** 1, 2, 3 and so on, without gaps. */
  readonly number: number;
  /** Sequence of the first entry. */
  readonly first: number;
  /** Sequence of the last entry. */
  readonly last: number;
  /** Digest of the journal before the first entry, in hex. */
  readonly previous_digest: string;
  /** Digest of the journal up to the last entry, in hex. */
  readonly digest: string;
  /** Name of the file with the entries, in the directory of the manifest. */
  readonly file: string;
  /** Length of that file. */
  readonly bytes: number;
  /** SHA-256 of that file, in hex. */
  readonly sha256: string;
  /** Creation time, as ISO 8601 in UTC. */
  readonly created_at: string;
}

/** The end of a chain of segments. */
export interface SegmentEnd {
  /** Number of the last segment; 0 before the first one. */
  readonly number: number;
  /** Sequence of its last entry. */
  readonly last: number;
  /** Digest of the journal up to that entry. */
  readonly digest: Uint8Array;
}

/** Consecutive entries of the journal, for storage at a target. */
export interface Segment extends SegmentEnd {
  readonly first: number;
  readonly previousDigest: Uint8Array;
  readonly lines: readonly JournalLine[];
}

/** The end before the first segment. */
export const BEFORE_FIRST: SegmentEnd = { number: 0, last: 0, digest: GENESIS_DIGEST };

/**
 * Creates the segment after another one.
 * @throws SegmentFault when the entries do not continue at its end
 */
export function makeSegment(previous: SegmentEnd, lines: readonly JournalLine[]): Segment {
  const number = previous.number + 1;
  if (lines.length === 0) throw new SegmentFault(number, "has no entries");
  const first = previous.last + 1;
  const digest = digestOver(number, first, lines, previous.digest);
  return { number, first, last: previous.last + lines.length, previousDigest: previous.digest, digest, lines };
}

/** Returns the end of a segment by its manifest. */
export function endOf({ number, last, digest }: SegmentManifest): SegmentEnd {
  return { number, last, digest: Buffer.from(digest, "hex") };
}

/**
 * Checks that a manifest continues the previous segment.
 * @throws SegmentFault with the field that does not match
 */
function verifyLink(manifest: SegmentManifest, previous: SegmentEnd): void {
  const { number, first, last, previous_digest } = manifest;
  const expected = previous.number + 1;
  if (number !== expected) throw new SegmentFault(expected, `its manifest is that of segment ${number}`);
  if (first !== previous.last + 1) {
    throw new SegmentFault(
      number,
      `begins with entry ${first}, but the segment before it ends with entry ${previous.last}`,
    );
  }
  if (last < first) throw new SegmentFault(number, `ends with entry ${last}, before it begins with entry ${first}`);
  if (previous_digest !== hex(previous.digest)) {
    throw new SegmentFault(
      number,
      `goes on from digest ${previous_digest}, but the segment before it ends with ${hex(previous.digest)}`,
    );
  }
}

/**
 * Checks a whole segment: that it continues the previous one, that all its entries are present, and that they give the
 * stated digest.
 * @returns the end of the segment
 * @throws SegmentFault with the fault and its position
 */
export function verifySegment(
  manifest: SegmentManifest,
  lines: readonly JournalLine[],
  previous: SegmentEnd,
): SegmentEnd {
  verifyLink(manifest, previous);
  const { number, first, last } = manifest;
  const count = last - first + 1;
  if (lines.length !== count)
    throw new SegmentFault(number, `has ${lines.length} entries, but its manifest has ${count}`);
  const digest = digestOver(number, first, lines, previous.digest);
  if (manifest.digest !== hex(digest)) {
    throw new SegmentFault(
      number,
      `its entries lead to digest ${hex(digest)}, but its manifest has ${manifest.digest}`,
    );
  }
  return { number, last, digest };
}

function digestOver(number: number, first: number, lines: readonly JournalLine[], previous: Uint8Array): Uint8Array {
  let head: JournalHead = { sequence: first - 1, digest: previous };
  for (const line of lines) {
    const { sequence, text } = line;
    const next = follow(head, line);
    if (next === undefined) throw new SegmentFault(number, `stands where entry ${head.sequence + 1} should`, sequence);
    if (text === "") throw new SegmentFault(number, "is empty", sequence);
    if (text.includes("\n")) throw new SegmentFault(number, "is more than one line", sequence);
    head = next;
  }
  return head.digest;
}
