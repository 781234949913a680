import { type AccountChange, accountStore } from "../sessions/index.ts";
import type { Address } from "../chain/transaction.ts";
import type { RecordContent } from "./record.ts";
import type { Database } from "../journal/engine/database.ts";
import { inTransaction } from "../journal/entries/entry-log.ts";
import { hex } from "../kit/bytes.ts";
import { isAmong } from "../journal/engine/lists.ts";
import { takeRowId } from "./record-reader.ts";

/** A row of the server's table as the contract wrote it. */
export interface RowWrite {
  readonly rowId: bigint;
  /** Digest of row data and signature. */
  readonly digest: Uint8Array;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** An event and its meaning for the index. */
export type LogEntry =
  /** `row` is `undefined` when the write is no record. */
  | { readonly kind: "row"; readonly write: RowWrite; readonly row: RecordContent | undefined }
  | { readonly kind: "account"; readonly address: Address; readonly change: AccountChange };

/** Events and block hashes of the chain. */
export interface EventLog {
  blockHash(blockNumber: number): Promise<Uint8Array | undefined>;
  /** Returns the entries of a range of blocks, both ends included, in order. */
  entries(fromBlock: number, toBlock: number): Promise<LogEntry[]>;
  /** Deployment block of the oldest contract. */
  readonly firstBlock: number;
}

/** Read access to the indexing progress. */
export interface RecordIndex {
  /** Waits until the index includes a block; returns false after the timeout. */
  waitForBlock(blockNumber: number, waitMilliseconds: number): Promise<boolean>;
}

/** @param table Name of the table on chain that this server writes to */
export function recordIndexStore(database: Database, table: string) {
  return {
    async progress(): Promise<{ blockNumber: number; blockHash: Uint8Array } | undefined> {
      const row = await database.selectFrom("index_progress").selectAll().executeTakeFirst();
      return row && { blockNumber: row.block_number, blockHash: row.block_hash };
    },

    /**
     * Applies the entries of a range of blocks and the new progress in one commit.
     * @param after Required current progress; `undefined` for an empty index
     * @param head The newest block; that of the first range of an index is the end of its first build
     * @returns the writes after that first build by transactions that are not in the journal: a restored journal does
     * not have the transactions of before. `undefined` if the progress differs because another process changed or
     * dropped the index
     */
    async apply(
      entries: readonly LogEntry[],
      after: number | undefined,
      blockNumber: number,
      blockHash: Uint8Array,
      head: number,
    ): Promise<readonly RowWrite[] | undefined> {
      return database.transaction().execute(async (transaction) => {
        const progress = await transaction
          .selectFrom("index_progress")
          .select(["block_number", "built_to"])
          .executeTakeFirst();
        if (progress?.block_number !== after) return undefined;
        const accounts = accountStore(transaction);
        const writes: RowWrite[] = [];
        for (const entry of entries) {
          if (entry.kind === "account") await accounts.applyChange(entry.address, entry.change);
          else {
            await addWrite(transaction, entry);
            await takeRowId(transaction, table, entry.write.rowId);
            writes.push(entry.write);
          }
        }
        await transaction
          .insertInto("index_progress")
          .values({ id: 1, block_number: blockNumber, block_hash: blockHash, built_to: head })
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet({ block_number: blockNumber, block_hash: blockHash }),
          )
          .execute();
        const builtTo = progress?.built_to ?? head;
        return withoutOwn(
          transaction,
          writes.filter((write) => write.blockNumber > builtTo),
        );
      });
    },

    /** Deletes the index; the indexer rebuilds it from the chain. */
    async drop(): Promise<void> {
      await inTransaction(database, async (transaction) => {
        for (const each of ["records", "index_progress"] as const) await transaction.deleteFrom(each).execute();
      });
    },
  };
}

/** Adds a write on chain; its cost does not depend on how often a row is written. */
async function addWrite(database: Database, { write, row }: Extract<LogEntry, { kind: "row" }>): Promise<void> {
  const { rowId, digest, transactionHash, blockNumber } = write;
  // The current record of the number, when another row is written over it.
  await database
    .updateTable("records")
    .set({ overwritten_by: transactionHash })
    .where("row_id", "=", rowId.toString())
    .where("overwritten_by", "is", null)
    .where("digest", "!=", digest)
    .execute();
  if (row === undefined) return;
  const { sender, code, topic, createdAt, payload } = row;
  await database
    .insertInto("records")
    .values({
      row_id: rowId.toString(),
      digest,
      sender,
      code,
      topic,
      created_at: createdAt,
      payload,
      transaction_hash: transactionHash,
      block_number: blockNumber,
    })
    // Written once more, it is the current row again.
    .onConflict((conflict) => conflict.column("digest").doUpdateSet({ overwritten_by: null }))
    .execute();
}

/** Returns the writes by transactions that are not in the journal. */
async function withoutOwn(database: Database, writes: readonly RowWrite[]): Promise<RowWrite[]> {
  if (writes.length === 0) return [];
  const hashes = writes.map(({ transactionHash }) => transactionHash);
  const own = await database
    .selectFrom("transactions")
    .select("hash")
    .where(isAmong(database, "hash", hashes))
    .unionAll(
      database
        .selectFrom("transaction_versions")
        .select("hash")
        .where(isAmong(database, "hash", hashes)),
    )
    .execute();
  const known = new Set(own.map(({ hash }) => hex(hash ?? new Uint8Array())));
  return writes.filter(({ transactionHash }) => !known.has(hex(transactionHash)));
}

/** The record index: a local copy of the event table's rows. Written by the event indexer. */
export type RecordIndexStore = ReturnType<typeof recordIndexStore>;
