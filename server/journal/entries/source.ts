import type { JournalLine } from "./entry.ts";
import type { Segment, SegmentManifest } from "../replication/segment.ts";

/** An entry of the journal, and the digest up to it. */
export interface JournalHead {
  readonly sequence: number;
  readonly digest: Uint8Array;
}

/** The journal, as whoever copies it elsewhere needs it. */
export interface JournalSource {
  /** The newest entry; sequence 0 with {@link GENESIS_DIGEST} before the first one. */
  head(): Promise<JournalHead>;
  /**
   * The entries after one, in order, at most `limit` of them.
   * @returns also the digest of the journal up to the entry `after`
   */
  lines(
    after: number,
    limit: number,
  ): Promise<{ readonly lines: readonly JournalLine[]; readonly previousDigest: Uint8Array }>;
  /** The digest of the journal up to an entry, {@link GENESIS_DIGEST} for 0; `undefined` for an entry that does not exist. */
  digestAt(sequence: number): Promise<Uint8Array | undefined>;
}

/** A place outside this machine that keeps segments of the journal for good. All of it throws when the place is away. */
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
