import type { Database } from "../engine/database.ts";

/** Returns the relayer that leads, or led last, and the number of its leadership; `undefined` before the first one. */
export async function leaderOf(database: Database): Promise<{ holder: string; epoch: number } | undefined> {
  return database.selectFrom("leader").select(["holder", "epoch"]).executeTakeFirst();
}
