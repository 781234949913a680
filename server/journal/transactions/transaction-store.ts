import { sql } from "kysely";
import type { Filler, SignedTransaction, TransactionOutcome } from "../../chain/transaction.ts";
import type { BlockReference } from "../../chain/block.ts";
import type { VerifiedHeader } from "../../chain/evidence/verified-block.ts";
import type { FinalOutcome, RecordedOutcomes, TransactionStore } from "../../chain/transactions/types.ts";
import { SealbookError } from "../../errors.ts";
import { confirmAnchors } from "../entries/confirmations.ts";
import type { Database } from "../engine/database.ts";
import type { TransactionRow } from "../engine/schema.ts";
import { isAmong } from "../engine/lists.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { isCallOf } from "./call-code.ts";

// Literals, not parameters: an engine uses the partial index on transactions in flight only when it sees the value.
const QUEUED = sql.lit("queued" as const);
const SENT = sql.lit("sent" as const);

/** Returns the block of a mined row. */
export function blockOf(
  row: Pick<TransactionRow, "block_number" | "block_hash" | "block_time" | "validator">,
): BlockReference | undefined {
  if (row.block_number === null || row.block_hash === null || row.block_time === null) return undefined;
  return { number: row.block_number, hash: row.block_hash, time: row.block_time, validator: row.validator ?? "" };
}

function toOutcome(row: TransactionRow): TransactionOutcome {
  switch (row.state) {
    case "queued":
    case "sent":
      return { state: "pending", sent: row.state === "sent" };
    case "cancelled":
      return { state: "cancelled" };
    case "reverted":
      return { state: "reverted", reason: row.reason ?? "reverted", block: blockOf(row) };
    case "refused":
      return { state: "refused", reason: row.reason ?? "refused" };
    case "confirmed": {
      const block = blockOf(row);
      if (block === undefined || row.hash === null) {
        throw new SealbookError("internal", `transaction ${row.id} is confirmed without a block`);
      }
      return { state: "confirmed", hash: row.hash, block };
    }
  }
}

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

async function insertFiller(transaction: Database, { sender, nonce, raw, hash }: Filler): Promise<number> {
  const { id } = await transaction
    .insertInto("transactions")
    .values({
      purpose: "nonce_filler",
      to_address: sender,
      state: "sent",
      sender,
      nonce,
      raw,
      hash,
      created_at: Date.now(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
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

/** Records outcomes, and confirms the anchors of the confirmed transactions; inside a write transaction. */
async function recordOutcomesIn(
  transaction: Database,
  key: JournalKey | undefined,
  outcomes: readonly FinalOutcome[],
): Promise<RecordedOutcomes> {
  for (const { id, state, block, reason, version } of outcomes) {
    await transaction
      .updateTable("transactions")
      .set({
        state,
        ...(version === undefined ? {} : { raw: version.raw, hash: version.hash }),
        reason: reason ?? null,
        block_number: block.number,
        block_hash: block.hash,
        block_time: block.time,
        validator: block.validator,
        // The signed bytes contain it, and are kept for a rollback of the chain; unsigned data may still be requested.
        ...(state === "confirmed" ? { data: null } : {}),
        outcome_at: Date.now(),
      })
      .where("id", "=", id)
      .execute();
  }
  const confirmed = outcomes.filter(({ state }) => state === "confirmed");
  return confirmAnchors(transaction, key, new Map(confirmed.map((outcome) => [outcome.id, outcome])));
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

    async highest(sender, below) {
      const row = await database
        .selectFrom("transactions")
        .select(["id", "nonce", "raw"])
        .where("sender", "=", sender)
        .where("nonce", "<", below)
        .orderBy("nonce", "desc")
        .limit(1)
        .executeTakeFirst();
      return row === undefined || row.nonce === null
        ? undefined
        : { id: row.id, nonce: row.nonce, raw: row.raw ?? new Uint8Array() };
    },

    renumber: (id, sender, nonce) =>
      database.transaction().execute(async (transaction) => {
        const others = transaction.selectFrom("transactions").select("id").where("sender", "=", sender);
        const isFree = nonce !== undefined && (await others.where("nonce", "=", nonce).execute()).length === 0;
        const to = { nonce: isFree ? nonce : null };
        await transaction.updateTable("transactions").set(to).where("id", "=", id).execute();
      }),

    async minedNonces() {
      // Skips from one key to the next in the index: there are few keys, with many transactions each.
      const { rows: keys } = await sql<{ sender: string }>`
        with recursive keys(sender) as (
          select min(sender) from transactions
          union all
          select (select min(sender) from transactions where transactions.sender > keys.sender)
          from keys where keys.sender is not null
        )
        select sender from keys where sender is not null`.execute(database);
      const completed: { key: string; nonces: number }[] = [];
      for (const { sender } of keys) {
        const row = await database
          .selectFrom("transactions")
          .select("nonce")
          .where("sender", "=", sender)
          .where("nonce", "is not", null)
          .where("state", "in", ["confirmed", "reverted"])
          .orderBy("nonce", "desc")
          .limit(1)
          .executeTakeFirst();
        if (row?.nonce !== undefined && row.nonce !== null) completed.push({ key: sender, nonces: row.nonce + 1 });
      }
      return completed;
    },

    async lastMined(sender, beforeNonce) {
      const row = await database
        .selectFrom("transactions")
        .select(["nonce", "block_number", "block_hash"])
        .where("sender", "=", sender)
        .where("nonce", "<", beforeNonce)
        .where("block_number", "is not", null)
        .orderBy("nonce", "desc")
        .limit(1)
        .executeTakeFirst();
      if (row === undefined || row.nonce === null || row.block_number === null || row.block_hash === null)
        return undefined;
      return { nonce: row.nonce, block: row.block_number, blockHash: row.block_hash };
    },

    fill: (fillers) =>
      database.transaction().execute(async (transaction) => {
        const ids: number[] = [];
        for (const filler of fillers) ids.push(await insertFiller(transaction, filler));
        return ids;
      }),

    async recordOutcomes(outcomes, blocks = []) {
      let recorded: RecordedOutcomes = { confirmed: [], others: [] };
      await commits.record(blocks, async (transaction) => {
        recorded = await recordOutcomesIn(transaction, key, outcomes);
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
