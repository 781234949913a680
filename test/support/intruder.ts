import { Kysely, sql } from "kysely";
import { type Database, openDatabase } from "../../server/journal/engine/database.ts";
import { encodeEntry } from "../../server/journal/entries/codec.ts";
import { entryOf } from "../../server/journal/entries/entry-source.ts";
import { type CountedHead, rowsBetween } from "../../server/journal/entries/journal-rows.ts";
import { packTexts } from "../../server/journal/entries/row-body.ts";
import { GENESIS, nextDigest } from "../../server/journal/integrity/entry-chain.ts";
import type { EngineDatabase } from "./engine-database.ts";
import { KEY } from "./journal-key.ts";
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
      const connection = await openDatabase(database.connect());
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
    const rows = await Array.fromAsync(rowsBetween(transaction, KEY, 0, Number.MAX_SAFE_INTEGER));
    await transaction.deleteFrom("entries").execute();
    let at: CountedHead = { ...GENESIS, proofs: 0 };
    for (const row of rows) {
      const entries = row.lines().map(({ sequence, text }) => change(entryOf(sequence, text)));
      const texts = entries.map(encodeEntry);
      const [first, last] = [at.sequence + 1, row.sequence];
      const digest = texts.reduce<Uint8Array>(nextDigest, at.digest);
      const proofs = at.proofs + entries.filter(({ kind }) => kind === "proof").length;
      const written = { first, last, proofs, previous: at.digest, digest, body: packTexts(texts) };
      await transaction
        .insertInto("entries")
        .values({
          first_sequence: first,
          last_sequence: last,
          proofs,
          previous: at.digest,
          digest,
          body: written.body,
          code: KEY.codeOf(written),
        })
        .execute();
      at = { sequence: last, digest, proofs };
    }
  });
}
