import type { SegmentTarget } from "./segment-target.ts";
import { type S3Options, S3Store } from "./s3-store.ts";
import { StoredSegments } from "./stored-segments.ts";

/**
 * Segments in a bucket of S3, or of anything that speaks its protocol and honours `If-None-Match`.
 * @param journal What names the journal
 */
export function s3Target(options: S3Options, journal: string): SegmentTarget {
  return new StoredSegments(new S3Store(options), journal);
}
