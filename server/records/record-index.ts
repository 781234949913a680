import { sql } from "kysely";
import { type AccountChange, accountStore } from "../sessions/index.ts";
import type { Address } from "../chain/transaction.ts";
import type { RecordContent } from "./record.ts";
import type { Database } from "../journal/engine/database.ts";
import { equalBytes } from "../kit/bytes.ts";
import { takeRowId } from "./record-reader.ts";

/** A table that is indexed: by a contract of this installation, current or former. */
export interface IndexedTable {
  readonly id: number;
  /** Address of the event table contract. */
  readonly contract: Address;
  readonly name: string;
  /** A block before which the contract has no event. */
  readonly firstBlock: number;
}

/** A row as the contract wrote it, of any table. */
export interface RowWrite {
  /** The indexed table; `undefined` for any other. */
  readonly table: number | undefined;
  readonly tableName: string;
  readonly rowId: bigint;
  /** Digest of row data and signature. */
  readonly digest: Uint8Array;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** An event and its meaning for the index. */
export type LogEntry =
  /** `row` is `undefined` when the write is no record of an indexed table. */
  | { readonly kind: "row"; readonly write: RowWrite; readonly row: RecordContent | undefined }
  | { readonly kind: "account"; readonly address: Address; readonly change: AccountChange };

/** The record index: a local copy of the event table's rows. Written by the event indexer. */
export interface RecordIndexStore {
  progress(): Promise<{ blockNumber: number; blockHash: Uint8Array } | undefined>;
  /**
   * Applies the entries of a range of blocks and the new progress in one commit.
   * @param after Required current progress; `undefined` for an empty index
   * @returns `undefined` if the progress differs because another process changed or dropped the index
   */
  apply(
    entries: readonly LogEntry[],
    after: number | undefined,
    blockNumber: number,
    blockHash: Uint8Array,
  ): Promise<IndexChange | undefined>;
  /** Deletes the index; the indexer rebuilds it from the chain. */
  drop(): Promise<void>;
}

/** Writes past this server, by what they did. */
export interface IndexChange {
  /** Records that another row was written over. */
  readonly overwritten: readonly RowWrite[];
  /** Row data and signatures of records that were written once more, or in another place. */
  readonly replayed: readonly RowWrite[];
}

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

/** Characters of a table's name that are kept of a write elsewhere. */
const MAX_TABLE_NAME = 256;

/** @param table Name of the table on chain that this server writes to */
export function recordIndexStore(database: Database, table: string): RecordIndexStore {
  return {
    async progress() {
      const row = await database.selectFrom("index_progress").selectAll().executeTakeFirst();
      return row && { blockNumber: row.block_number, blockHash: row.block_hash };
    },

    async apply(entries, after, blockNumber, blockHash) {
      return database.transaction().execute(async (transaction) => {
        const progress = await transaction.selectFrom("index_progress").select("block_number").executeTakeFirst();
        if (progress?.block_number !== after) return undefined;
        const accounts = accountStore(transaction);
        const change = { overwritten: [], replayed: [] };
        for (const entry of entries) {
          if (entry.kind === "account") await accounts.applyChange(entry.address, entry.change);
          else {
            await addWrite(transaction, entry, change);
            if (entry.write.table !== undefined && entry.write.tableName === table)
              await takeRowId(transaction, table, entry.write.rowId);
          }
        }
        await transaction
          .insertInto("index_progress")
          .values({ id: 1, block_number: blockNumber, block_hash: blockHash })
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet({ block_number: blockNumber, block_hash: blockHash }),
          )
          .execute();
        return change;
      });
    },

    async drop() {
      await database.transaction().execute(async (transaction) => {
        for (const each of ["records", "row_copies", "index_progress"] as const)
          await transaction.deleteFrom(each).execute();
      });
    },
  };
}

/** Adds a write on chain; its cost does not depend on how often a row is written. */
async function addWrite(
  database: Database,
  { write, row }: Extract<LogEntry, { kind: "row" }>,
  change: { readonly [Kind in keyof IndexChange]: RowWrite[] },
): Promise<void> {
  if (await overwrite(database, write)) change.overwritten.push(write);
  const known = await database
    .selectFrom("records")
    .select(["position", "table_id", "row_id"])
    .where("digest", "=", write.digest)
    .executeTakeFirst();
  if (known !== undefined) {
    const isInPlace = known.table_id === write.table && known.row_id === write.rowId.toString();
    await database
      .updateTable("records")
      .set({
        replays: sql`replays + 1`,
        replayed_by: write.transactionHash,
        // Written in its place once more, it is the current row again.
        ...(isInPlace ? { overwritten_by: null } : {}),
      })
      .where("position", "=", known.position)
      .execute();
    change.replayed.push(write);
  } else if (row === undefined || write.table === undefined) {
    await addCopy(database, write);
  } else if (await addRecord(database, { ...write, table: write.table }, row)) {
    change.replayed.push(write);
  }
}

/**
 * Marks the current record of a number when another row is written over it.
 * @returns whether there was one
 */
async function overwrite(database: Database, { table, rowId, digest, transactionHash }: RowWrite): Promise<boolean> {
  if (table === undefined) return false;
  const current = await database
    .selectFrom("records")
    .select(["position", "digest"])
    .where("table_id", "=", table)
    .where("row_id", "=", rowId.toString())
    .where("overwritten_by", "is", null)
    .executeTakeFirst();
  if (current === undefined || equalBytes(current.digest, digest)) return false;
  await database
    .updateTable("records")
    .set({ overwritten_by: transactionHash })
    .where("position", "=", current.position)
    .execute();
  return true;
}

/** @returns whether the same row data and signature were written elsewhere before */
async function addRecord(
  database: Database,
  { table, rowId, digest, transactionHash, blockNumber }: RowWrite & { readonly table: number },
  { sender, code, topic, createdAt, payload }: RecordContent,
): Promise<boolean> {
  const copy = await database
    .selectFrom("row_copies")
    .select(["writes", "transaction_hash"])
    .where("digest", "=", digest)
    .executeTakeFirst();
  await database
    .insertInto("records")
    .values({
      table_id: table,
      row_id: rowId.toString(),
      digest,
      sender,
      code,
      topic,
      created_at: createdAt,
      payload,
      transaction_hash: transactionHash,
      block_number: blockNumber,
      ...(copy && { replays: copy.writes, replayed_by: copy.transaction_hash }),
    })
    .execute();
  return copy !== undefined;
}

async function addCopy(database: Database, write: RowWrite): Promise<void> {
  await database
    .insertInto("row_copies")
    .values({
      digest: write.digest,
      table_name: write.tableName.slice(0, MAX_TABLE_NAME),
      row_id: write.rowId.toString(),
      transaction_hash: write.transactionHash,
      block_number: write.blockNumber,
      writes: 1,
    })
    .onConflict((conflict) => conflict.column("digest").doUpdateSet({ writes: sql`row_copies.writes + 1` }))
    .execute();
}
