import { openDatabase } from "../../server/journal/engine/database.ts";
import { readEntries } from "../../server/journal/entries/entry-rows.ts";
import { encodeEntry } from "../../server/journal/entries/codec.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { assertChained } from "./journal-chain.ts";

/** Every entry of a journal as the line over which its digest was made, once it is clear that the digests are so. */
export async function journalLines(engine: EngineDatabase): Promise<string[]> {
  const database = await openDatabase(engine.connect());
  try {
    const count = await assertChained(database);
    return (await readEntries(database, 0, count)).map(({ entry }) => encodeEntry(entry));
  } finally {
    await database.destroy();
  }
}
