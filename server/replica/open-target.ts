import type { SegmentTarget } from "../domain/journal/ports.ts";
import { FolderStore } from "./folder-store.ts";
import { folderTarget } from "./folder-target.ts";
import { readOwner } from "./marker.ts";
import { S3Store } from "./s3-store.ts";
import { s3Target } from "./s3-target.ts";
import type { TargetAddress } from "./targets.ts";

/**
 * The target at an address. Nothing is asked of it yet.
 * @param journal What names the journal
 */
export function openTarget(address: TargetAddress, journal: string): SegmentTarget {
  return address.kind === "folder" ? folderTarget(address, journal) : s3Target(address, journal);
}

/** What names the journal that is kept at an address; `undefined` when there is none. */
export async function journalAt(address: TargetAddress): Promise<string | undefined> {
  const store = address.kind === "folder" ? new FolderStore(address) : new S3Store(address);
  try {
    return await readOwner(store);
  } finally {
    store.close();
  }
}
