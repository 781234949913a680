import { FolderStore } from "./folder-store.ts";
import type { ObjectStore } from "./object-store.ts";
import type { TargetAddress } from "./targets.ts";

/**
 * Creates the store at an address, without a request to it.
 * @param stop Ends its requests to a service
 */
export async function openStore(address: TargetAddress, stop?: AbortSignal): Promise<ObjectStore> {
  if (address.kind === "folder") return new FolderStore(address);
  const { S3Store } = await import("./s3-store.ts");
  return new S3Store(address, stop);
}
