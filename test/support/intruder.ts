import { Kysely, sql } from "kysely";
import { GENESIS, GENESIS_DIGEST, type JournalHead, nextDigest } from "../../server/journal/integrity/entry-chain.ts";
import { openDatabase } from "../../server/journal/engine/database.ts";
import { DigestTree, ENTRIES_PER_BLOCK } from "../../server/journal/integrity/digest-tree.ts";
import { readEntries } from "../../server/journal/entries/entry-rows.ts";
import { insertRow } from "../../server/journal/entries/journal-rows.ts";
import { linkOf } from "../../server/journal/integrity/entry-chain.ts";
import { encodeEntry } from "../../server/journal/entries/codec.ts";
import type { Engine } from "./database.ts";
import { withKey } from "./journal-key.ts";
import type { EngineDatabase } from "./engine-database.ts";

const TABLES = ["proofs", "proof_labels", "confirmations", "accounts", "issuer_keys", "notices", "digest_nodes"];

/** An attacker with all rights on the database. */
export interface Intruder {
  run(statement: string): Promise<void>;
  /** Recomputes all digests, with the journal's key, so that the journal is consistent in itself. */
  rewrite(): Promise<void>;
}

/** Removes the protection of entries against changes. */
export async function breakIn(database: EngineDatabase, engine: Engine): Promise<Intruder> {
  const run = async (...statements: readonly string[]): Promise<void> => {
    const connection = new Kysely<unknown>({ dialect: database.connect() });
    try {
      await connection.transaction().execute(async (transaction) => {
        for (const statement of statements) await sql.raw(statement).execute(transaction);
      });
    } finally {
      await connection.destroy();
    }
  };
  await run(
    ...TABLES.flatMap((table) =>
      engine === "postgres"
        ? [`alter table ${table} disable trigger user`, `grant update, delete on ${table} to current_user`]
        : ["update", "delete"].map((event) => `drop trigger if exists ${table}_no_${event}`),
    ),
  );
  return {
    run,
    async rewrite() {
      const connection = withKey(await openDatabase(database.connect()));
      try {
        await connection.transaction().execute(async (transaction) => {
          const { sequence: last } = await transaction
            .selectFrom("journal_head")
            .select("sequence")
            .executeTakeFirstOrThrow();
          let digest = GENESIS_DIGEST;
          const tree = new DigestTree();
          await transaction.deleteFrom("digest_nodes").execute();
          const rows = await transaction.selectFrom("journal_rows").selectAll().orderBy("first_sequence").execute();
          await transaction.deleteFrom("journal_rows").execute();
          let before: JournalHead = GENESIS;
          for (const { entry } of await readEntries(transaction, 0, last)) {
            digest = nextDigest(digest, encodeEntry(entry));
            const { sequence } = entry;
            if (rows[0]?.last_sequence === sequence) {
              rows.shift();
              await insertRow(transaction, before, { sequence, digest });
              before = { sequence, digest };
            }
            if (sequence % ENTRIES_PER_BLOCK === 0)
              await transaction.insertInto("digest_nodes").values(tree.add(digest)).execute();
            if (entry.kind === "proof")
              await transaction
                .updateTable("proofs")
                .set({ link: linkOf(digest) })
                .where("sequence", "=", sequence)
                .execute();
            if (entry.kind === "confirmation")
              await transaction.updateTable("confirmations").set({ digest }).where("sequence", "=", sequence).execute();
            if (entry.kind === "account")
              await transaction.updateTable("accounts").set({ digest }).where("sequence", "=", sequence).execute();
            if (entry.kind === "issuer_key")
              await transaction.updateTable("issuer_keys").set({ digest }).where("sequence", "=", sequence).execute();
          }
          await transaction.updateTable("journal_head").set({ digest }).execute();
        });
      } finally {
        await connection.destroy();
      }
    },
  };
}
