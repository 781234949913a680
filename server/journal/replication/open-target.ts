import type { SegmentTarget } from "./segment-target.ts";
import { FolderStore } from "./folder-store.ts";
import { folderTarget } from "./folder-target.ts";
import { readOwner } from "./marker.ts";
import type { ObjectStore } from "./object-store.ts";
import type { TargetAddress } from "./targets.ts";

/**
 * The target at an address. Nothing is asked of it yet.
 * @param journal What names the journal
 */
export async function openTarget(address: TargetAddress, journal: string): Promise<SegmentTarget> {
  if (address.kind === "folder") return folderTarget(address, journal);
  const { s3Target } = await import("./s3-target.ts");
  return s3Target(address, journal);
}

/** What names the journal that is kept at an address; `undefined` when there is none. */
export async function journalAt(address: TargetAddress): Promise<string | undefined> {
  const store = await storeAt(address);
  try {
    return await readOwner(store);
  } finally {
    store.close();
  }
}

async function storeAt(address: TargetAddress): Promise<ObjectStore> {
  if (address.kind === "folder") return new FolderStore(address);
  const { S3Store } = await import("./s3-store.ts");
  return new S3Store(address);
}
