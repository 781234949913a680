import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates an empty folder for one test. */
export function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "sealbook-test-"));
}

/** Removes the files of a test. */
export async function removeDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}
