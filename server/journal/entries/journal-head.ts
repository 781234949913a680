import { SealbookError } from "../../errors.ts";
import type { Database } from "../engine/database.ts";
import type { JournalHead } from "../integrity/entry-chain.ts";

/** The newest entry, and the number of proofs up to it. */
export interface StoredHead extends JournalHead {
  readonly proofs: number;
}

/**
 * Reads the journal's head, which is one row from the first migration on.
 * @throws SealbookError `journal_damaged` when the row was deleted
 */
export function readHead(database: Database): Promise<StoredHead> {
  return database
    .selectFrom("journal_head")
    .select(["sequence", "digest", "proofs"])
    .executeTakeFirstOrThrow(
      () =>
        new SealbookError(
          "journal_damaged",
          "the journal has no head: the row of the table journal_head was deleted. Restore the database from a " +
            "backup, or the journal from a replica with `npm run journal -- restore`",
        ),
    );
}
