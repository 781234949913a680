import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { JournalKey } from "../../server/journal/integrity/journal-key.ts";

const TEXT = "5ea1".repeat(16);
/** The key of the tests' journals. */
export const KEY = JournalKey.parse(TEXT) ?? assert.fail("no key");

/** Has the server of a data folder append with the tests' key, as relayers of one database have to. */
export async function putKey(directory: string): Promise<void> {
  const file = join(directory, "journal.key");
  await mkdir(directory, { recursive: true });
  if (!existsSync(file)) await writeFile(file, TEXT, { mode: 0o600 });
}
