import type { SegmentTarget } from "./segment-target.ts";
import { type S3Options, S3Store } from "./s3-store.ts";
import { StoredSegments } from "./stored-segments.ts";

/**
 * Stores segments in a bucket of S3, or of any service with its protocol that honours `If-None-Match`.
 * @param journal Identifier of the journal
 */
export function s3Target(options: S3Options, journal: string): SegmentTarget {
  return new StoredSegments(new S3Store(options), journal);
}
