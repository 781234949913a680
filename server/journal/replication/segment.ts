import { follow, GENESIS_DIGEST, type JournalHead, type JournalLine } from "../integrity/entry-chain.ts";
import { SegmentFault } from "./segment-fault.ts";
import { hex } from "../../kit/hex.ts";

/** What the manifest of a segment says it is. */
export const SEGMENT_FORMAT = "sealbook-segment/1";

/** What stands beside the entries of a segment. A segment exists from the moment its manifest does. */
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
  /** Name of the file that holds the entries, beside the manifest. */
  readonly file: string;
  /** Length of that file. */
  readonly bytes: number;
  /** SHA-256 of that file, in hex. */
  readonly sha256: string;
  /** When the segment was made, as ISO 8601 in UTC. */
  readonly created_at: string;
}

/** Where a chain of segments has come to. */
export interface SegmentEnd {
  /** Number of the last segment; 0 before the first one. */
  readonly number: number;
  /** Sequence of its last entry. */
  readonly last: number;
  /** Digest of the journal up to that entry. */
  readonly digest: Uint8Array;
}

/** Some entries of the journal in a row, to be kept somewhere else for good. */
export interface Segment extends SegmentEnd {
  readonly first: number;
  readonly previousDigest: Uint8Array;
  readonly lines: readonly JournalLine[];
}

/** Where the first segment goes on from. */
export const BEFORE_FIRST: SegmentEnd = { number: 0, last: 0, digest: GENESIS_DIGEST };

/**
 * Makes the segment that comes after another.
 * @throws SegmentFault when the entries do not go on where that one ended
 */
export function makeSegment(previous: SegmentEnd, lines: readonly JournalLine[]): Segment {
  const number = previous.number + 1;
  if (lines.length === 0) throw new SegmentFault(number, "has no entries");
  const first = previous.last + 1;
  const digest = digestOver(number, first, lines, previous.digest);
  return { number, first, last: previous.last + lines.length, previousDigest: previous.digest, digest, lines };
}

/** Where a manifest says that its segment ends. */
export function endOf({ number, last, digest }: SegmentManifest): SegmentEnd {
  return { number, last, digest: Buffer.from(digest, "hex") };
}

/**
 * Checks that a manifest goes on where the segment before it ended.
 * @throws SegmentFault that says in what it does not
 */
export function verifyLink(manifest: SegmentManifest, previous: SegmentEnd): void {
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
 * Checks a segment as a whole: that it goes on where the one before it ended, that all its entries are there, and that
 * they lead to the digest it states.
 * @returns where it ends
 * @throws SegmentFault that says what is wrong and where
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
    throw new SegmentFault(number, `has ${lines.length} entries, but its manifest says ${count}`);
  const digest = digestOver(number, first, lines, previous.digest);
  if (manifest.digest !== hex(digest)) {
    throw new SegmentFault(
      number,
      `its entries lead to digest ${hex(digest)}, but its manifest says ${manifest.digest}`,
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
