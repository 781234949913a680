import { openDatabase } from "../../server/journal/engine/database.ts";
import { rowsBetween } from "../../server/journal/entries/journal-rows.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { assertChained } from "./journal-chain.ts";

/** Returns every entry of a journal as the line of its digest, after checking the digests. */
export async function journalLines(engine: EngineDatabase): Promise<string[]> {
  const database = await openDatabase(engine.connect());
  try {
    const count = await assertChained(database, null);
    const texts: string[] = [];
    for await (const row of rowsBetween(database, undefined, 0, count))
      texts.push(...row.lines().map(({ text }) => text));
    return texts;
  } finally {
    await database.destroy();
  }
}
