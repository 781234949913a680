import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fresh folder for one test. */
export function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "sealbook-test-"));
}

/** Removes what a test left. */
export async function removeDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
