import type { SegmentTarget } from "../domain/journal/ports.ts";
import { folderTarget } from "./folder-target.ts";
import { s3Target } from "./s3-target.ts";
import type { TargetAddress } from "./targets.ts";

/**
 * The target at an address. Nothing is asked of it yet.
 * @param journal What names the journal
 */
export function openTarget(address: TargetAddress, journal: string): SegmentTarget {
  return address.kind === "folder" ? folderTarget(address, journal) : s3Target(address, journal);
}
