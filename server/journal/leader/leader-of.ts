import type { Database } from "../engine/database.ts";

/** Returns the id of the relayer that leads, or led last; `undefined` before the first one. */
export async function leaderOf(database: Database): Promise<string | undefined> {
  return (await database.selectFrom("leader").select("holder").executeTakeFirst())?.holder;
}
