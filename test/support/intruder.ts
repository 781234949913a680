import { Kysely, sql } from "kysely";
import { type Database, openDatabase } from "../../server/journal/engine/database.ts";
import { encodeEntry } from "../../server/journal/entries/codec.ts";
import { entryOf } from "../../server/journal/entries/entry-source.ts";
import { type CountedHead, insertRow, rowsBetween } from "../../server/journal/entries/journal-rows.ts";
import { GENESIS, nextDigest } from "../../server/journal/integrity/entry-chain.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { withKey } from "./journal-key.ts";
import type { EntryChange } from "./journal-rows.ts";

/** An attacker with all rights on the database. */
export interface Intruder {
  run(statement: string): Promise<void>;
  /** Writes all rows anew, with the journal's key, so that the journal is consistent in itself. */
  rewrite(change: EntryChange): Promise<void>;
}

export function intruderIn(database: EngineDatabase): Intruder {
  return {
    async run(statement) {
      const connection = new Kysely<unknown>({ dialect: database.connect() });
      try {
        await connection.transaction().execute((transaction) => sql.raw(statement).execute(transaction));
      } finally {
        await connection.destroy();
      }
    },

    async rewrite(change) {
      const connection = withKey(await openDatabase(database.connect()));
      try {
        await rewriteRows(connection, change);
      } finally {
        await connection.destroy();
      }
    },
  };
}

/** Writes all rows anew, with the key of the database, so that the journal is consistent in itself. */
export async function rewriteRows(database: Database, change: EntryChange): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const rows = await Array.fromAsync(rowsBetween(transaction, 0, Number.MAX_SAFE_INTEGER));
    await transaction.deleteFrom("journal_rows").execute();
    let at: CountedHead = { ...GENESIS, proofs: 0 };
    for (const row of rows) {
      const entries = row.lines().map(({ sequence, text }) => change(entryOf(sequence, text)));
      const texts = entries.map(encodeEntry);
      const head = {
        sequence: row.sequence,
        digest: texts.reduce(nextDigest, at.digest),
        proofs: at.proofs + entries.filter(({ kind }) => kind === "proof").length,
      };
      await insertRow(transaction, at, head, texts);
      at = head;
    }
  });
}
