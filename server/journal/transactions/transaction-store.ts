import { sql } from "kysely";
import type { SignedTransaction } from "../../chain/transaction.ts";
import type { VerifiedHeader } from "../../chain/evidence/verified-block.ts";
import type { RecordedOutcomes, TransactionStore } from "../../chain/transactions/types.ts";
import { SealbookError } from "../../errors.ts";
import type { Database } from "../engine/database.ts";
import type { TransactionRow } from "../engine/schema.ts";
import { isAmong } from "../engine/lists.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { isCallOf } from "./call-code.ts";
import { keyNonces } from "./key-nonces.ts";
import { toOutcome, writeOutcomes } from "./outcome-rows.ts";

// Literals, not parameters: an engine uses the partial index on transactions in flight only when it sees the value.
const QUEUED = sql.lit("queued" as const);
const SENT = sql.lit("sent" as const);

function selectSent(database: Database) {
  return database.selectFrom("transactions").select(["id", "nonce", "raw", "hash"]).where("state", "=", SENT);
}

function toSigned(rows: readonly Pick<TransactionRow, "id" | "nonce" | "raw" | "hash">[]): SignedTransaction[] {
  return rows.flatMap(({ id, nonce, raw, hash }) =>
    // Without a nonce its bytes have it.
    raw === null || hash === null ? [] : [{ id, nonce: nonce ?? -1, raw, hash }],
  );
}

/** Replaces a transaction that has several versions by all of them, in the order in which they were signed. */
async function withVersions(database: Database, newest: readonly SignedTransaction[]): Promise<SignedTransaction[]> {
  const replaced = new Map<number, Omit<SignedTransaction, "nonce">[]>();
  const ids = newest.map(({ id }) => id);
  const rows = await database
    .selectFrom("transaction_versions")
    .select(["transaction_id", "raw", "hash"])
    .where(isAmong(database, "transaction_id", ids))
    .orderBy("number")
    .execute();
  for (const { transaction_id: id, raw, hash } of rows)
    replaced.set(id, [...(replaced.get(id) ?? []), { id, raw, hash }]);
  return newest.flatMap((each) => {
    const versions = replaced.get(each.id);
    return versions === undefined ? [each] : versions.map((version) => ({ ...version, nonce: each.nonce }));
  });
}

/** Takes the signature of a transaction back; inside a write transaction. */
async function requeueIn(transaction: Database, id: number): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable("transactions")
    .set({ state: "queued", sender: null, nonce: null, raw: null, hash: null })
    .where("id", "=", id)
    .where("state", "=", SENT)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await transaction.deleteFrom("transaction_versions").where("transaction_id", "=", id).execute();
}

/** Makes a commit of everything that blocks have brought. */
export interface BlockCommits {
  /** @param write Writes the outcomes of transactions; inside the transaction */
  record(blocks: readonly VerifiedHeader[], write: (transaction: Database) => Promise<void>): Promise<void>;
}

/** @param commits Unset where blocks bring outcomes only */
export function transactionStore(
  database: Database,
  key: JournalKey | undefined,
  commits: BlockCommits = { record: (_, write) => database.transaction().execute(write) },
): TransactionStore {
  return {
    ...keyNonces(database),

    async queued(limit) {
      const rows = await database
        .selectFrom("transactions")
        .select(["id", "purpose", "to_address", "data", "code"])
        .where("state", "=", QUEUED)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        purpose: row.purpose,
        to: row.to_address,
        data: row.data ?? new Uint8Array(),
        isOwn: isCallOf(key, row),
      }));
    },

    claim: (sender, signed, isCurrent) =>
      database.transaction().execute(async (transaction) => {
        const claimed: SignedTransaction[] = [];
        if (isCurrent?.() === false) return claimed;
        for (const each of signed) {
          const { id, nonce, raw, hash } = each;
          const { numUpdatedRows } = await transaction
            .updateTable("transactions")
            .set({ state: "sent", sender, nonce, raw, hash })
            .where("id", "=", id)
            .where("state", "=", QUEUED)
            .executeTakeFirst();
          if (numUpdatedRows === 0n) break;
          claimed.push(each);
        }
        return claimed;
      }),

    replace: ({ id, raw, hash }) =>
      database.transaction().execute(async (transaction) => {
        const before = await transaction
          .selectFrom("transactions")
          .select(["raw", "hash"])
          .where("id", "=", id)
          .where("state", "=", SENT)
          .executeTakeFirst();
        if (before === undefined || before.raw === null || before.hash === null) return false;
        await transaction
          .insertInto("transaction_versions")
          .values([
            { transaction_id: id, raw: before.raw, hash: before.hash },
            { transaction_id: id, raw, hash },
          ])
          .onConflict((conflict) => conflict.column("hash").doNothing())
          .execute();
        await transaction.updateTable("transactions").set({ raw, hash }).where("id", "=", id).execute();
        return true;
      }),

    async inFlight(sender) {
      const newest = toSigned(await selectSent(database).where("sender", "=", sender).orderBy("nonce").execute());
      return withVersions(database, newest);
    },

    async inFlightOfOthers(sender) {
      const newest = selectSent(database).where("sender", "!=", sender).orderBy("sender").orderBy("nonce");
      return withVersions(database, toSigned(await newest.execute()));
    },

    async recordOutcomes(outcomes, blocks = []) {
      let recorded: RecordedOutcomes = { confirmed: [], others: [] };
      await commits.record(blocks, async (transaction) => {
        recorded = await writeOutcomes(transaction, key, outcomes);
      });
      return recorded;
    },

    reopen: (sender, fromNonce) =>
      database.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom("transactions")
          .select(["id", "nonce", "raw", "hash"])
          .where("sender", "=", sender)
          .where("nonce", ">=", fromNonce)
          .where("state", "in", ["confirmed", "reverted"])
          .where("raw", "is not", null)
          .orderBy("nonce")
          .execute();
        for (const { id } of rows) {
          await transaction
            .updateTable("transactions")
            .set({
              state: "sent",
              reason: null,
              block_number: null,
              block_hash: null,
              block_time: null,
              validator: null,
              outcome_at: null,
            })
            .where("id", "=", id)
            .execute();
          await transaction
            .updateTable("anchors")
            .set({ confirmation: null })
            .where("transaction_id", "=", id)
            .execute();
        }
        return toSigned(rows);
      }),

    requeue: (id) => database.transaction().execute((transaction) => requeueIn(transaction, id)),

    abandon: (ids) =>
      database.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom("transactions")
          .select(["id", "purpose"])
          .where(isAmong(transaction, "id", ids))
          .where("state", "=", SENT)
          .execute();
        for (const { id, purpose } of rows) {
          if (purpose === "anchor") await requeueIn(transaction, id);
          if (purpose !== "nonce_filler") continue;
          const ended = { state: "cancelled" as const, outcome_at: Date.now() };
          await transaction.updateTable("transactions").set(ended).where("id", "=", id).execute();
        }
        return rows.filter(({ purpose }) => purpose === "anchor").length;
      }),

    async reject(id, reason) {
      await database
        .updateTable("transactions")
        .set({ state: "refused", reason, outcome_at: Date.now() })
        .where("id", "=", id)
        .where("state", "=", "queued")
        .execute();
    },

    async cancel(id) {
      const { numUpdatedRows } = await database
        .updateTable("transactions")
        .set({ state: "cancelled", outcome_at: Date.now() })
        .where("id", "=", id)
        .where("state", "=", "queued")
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    async outcome(id) {
      const row = await database.selectFrom("transactions").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) throw new SealbookError("internal", `there is no transaction ${id}`);
      return toOutcome(row);
    },

    async countInFlight() {
      const counts = await Promise.all(
        [QUEUED, SENT].map((state) =>
          database
            .selectFrom("transactions")
            .select((e) => e.fn.countAll<number>().as("count"))
            .where("state", "=", state)
            .executeTakeFirstOrThrow(),
        ),
      );
      return counts.reduce((sum, { count }) => sum + count, 0);
    },
  };
}
