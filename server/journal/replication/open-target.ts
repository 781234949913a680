import type { SegmentTarget } from "./segment-target.ts";
import { FolderStore } from "./folder-store.ts";
import { readOwner } from "./marker.ts";
import type { ObjectStore } from "./object-store.ts";
import { StoredSegments } from "./stored-segments.ts";
import type { TargetAddress } from "./targets.ts";

/**
 * Creates the target at an address, without a request to it.
 * @param journal Identifier of the journal
 */
export async function openTarget(address: TargetAddress, journal: string): Promise<SegmentTarget> {
  return new StoredSegments(await storeAt(address), journal);
}

/** Returns the identifier of the journal at an address; `undefined` when there is none. */
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
