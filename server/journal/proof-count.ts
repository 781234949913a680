import { sql } from "kysely";
import type { Database } from "./database.ts";

/**
 * How many proofs there are. None is ever deleted, and they come in the order of their numbers; numbers alone do not
 * tell, since some engines leave out those of what was undone. All are counted once, then only those that are new.
 */
export class ProofCount {
  #counted = { count: 0, newest: 0 };

  async ask(database: Database): Promise<number> {
    const { count, newest } = this.#counted;
    const added = await database
      .selectFrom("proofs")
      .select((e) => [e.fn.countAll<number>().as("count"), e.fn.coalesce(e.fn.max("sequence"), sql<number>`0`).as("newest")])
      .$if(newest > 0, (query) => query.where("sequence", ">", newest))
      .executeTakeFirstOrThrow();
    // Two that ask at once have counted the same ones.
    if (added.newest > this.#counted.newest) this.#counted = { count: count + added.count, newest: added.newest };
    return count + added.count;
  }
}
