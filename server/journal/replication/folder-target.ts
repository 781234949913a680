import type { SegmentTarget } from "./segment-target.ts";
import { type FolderOptions, FolderStore } from "./folder-store.ts";
import { StoredSegments } from "./stored-segments.ts";

/**
 * Stores segments in a folder of any mounted disk.
 * @param journal Identifier of the journal
 */
export function folderTarget(options: FolderOptions, journal: string): SegmentTarget {
  return new StoredSegments(new FolderStore(options), journal);
}
