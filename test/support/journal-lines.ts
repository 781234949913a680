import { openDatabase } from "../../server/journal/engine/database.ts";
import { readEntries } from "../../server/journal/entries/entry-rows.ts";
import { encodeEntry } from "../../server/journal/entries/codec.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { assertChained } from "./journal-chain.ts";

/** Returns every entry of a journal as the line of its digest, after checking the digests. */
export async function journalLines(engine: EngineDatabase): Promise<string[]> {
  const database = await openDatabase(engine.connect());
  try {
    const count = await assertChained(database);
    return (await readEntries(database, 0, count)).map(({ entry }) => encodeEntry(entry));
  } finally {
    await database.destroy();
  }
}
