import type { SegmentTarget } from "./segment-target.ts";
import { type FolderOptions, FolderStore } from "./folder-store.ts";
import { StoredSegments } from "./stored-segments.ts";

/**
 * Segments in a folder on any disk that is mounted.
 * @param journal What names the journal
 */
export function folderTarget(options: FolderOptions, journal: string): SegmentTarget {
  return new StoredSegments(new FolderStore(options), journal);
}
