import { openDatabase } from "../../server/journal/engine/database.ts";
import { journalSource } from "../../server/journal/entries/entry-source.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { assertChained } from "./journal-chain.ts";

/** Returns every entry of a journal as the line of its digest, after checking the digests. */
export async function journalLines(engine: EngineDatabase): Promise<string[]> {
  const database = await openDatabase(engine.connect());
  try {
    const count = await assertChained(database, null);
    const { lines } = await journalSource(database, undefined).lines(0, count);
    return lines.map(({ text }) => text);
  } finally {
    await database.destroy();
  }
}
