import { type AccountChange, accountStore } from "../sessions/index.ts";
import type { Address } from "../chain/transaction.ts";
import type { RecordContent } from "./record.ts";
import type { Database } from "../journal/engine/database.ts";
import { inTransaction } from "../journal/entries/entry-log.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { hex } from "../kit/bytes.ts";
import { isAmong } from "../journal/engine/lists.ts";
import { SealbookError } from "../errors.ts";
import {
  codeOfPosition,
  codeOfRecord,
  digestAfter,
  type IndexPosition,
  isRecordOf,
  positionOf,
  type IndexRow,
} from "./record-code.ts";

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

/**
 * @param key Of the journal: rows and position have codes by it
 * @param table Name of the table on chain that this server writes to
 */
export function recordIndexStore(database: Database, key: JournalKey, table: string) {
  return {
    /** Returns the last indexed block; `undefined` when no relayer has written it. */
    progress: () => readPosition(database, key, table),

    /**
     * Applies the entries of a range of blocks and the new progress in one commit.
     * @param after Required current progress; `undefined` for an empty index: rows that it has are dropped
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
        const progress = await readPosition(transaction, key, table);
        if (progress?.blockNumber !== after) return undefined;
        // What no relayer has written is not in the way.
        await transaction
          .deleteFrom("records")
          .$if(progress !== undefined, (rows) => rows.where("position", ">", progress?.rows ?? 0))
          .execute();
        const accounts = accountStore(transaction);
        const writes: RowWrite[] = [];
        let end: IndexEnd = progress ?? NO_ROWS;
        for (const entry of entries) {
          if (entry.kind === "account") await accounts.applyChange(entry.address, entry.change);
          else {
            end = await addWrite(transaction, key, end, entry);
            writes.push(entry.write);
          }
        }
        const builtTo = progress?.builtTo ?? head;
        const { rows, digest, marked } = end;
        await storePosition(transaction, key, table, { blockNumber, blockHash, builtTo, rows, digest, marked });
        return withoutOwn(
          transaction,
          writes.filter((write) => write.blockNumber > builtTo),
        );
      });
    },

    /** Deletes the index; the indexer rebuilds it from the chain. */
    async drop(): Promise<void> {
      await inTransaction(database, async (transaction) => {
        await transaction.deleteFrom("records").execute();
        await transaction.updateTable("index_progress").set(NO_POSITION).execute();
      });
    },
  };
}

/** The end of the index, which a new row continues. */
type IndexEnd = Pick<IndexPosition, "rows" | "digest" | "marked">;

const NO_ROWS: IndexEnd = { rows: 0, digest: new Uint8Array(32), marked: 0 };
const NO_POSITION = { block_number: null, block_hash: null, built_to: null, ...NO_ROWS, code: null };

async function readPosition(database: Database, key: JournalKey, table: string): Promise<IndexPosition | undefined> {
  const row = await database.selectFrom("index_progress").selectAll().executeTakeFirst();
  return positionOf(key, table, row);
}

async function storePosition(
  database: Database,
  key: JournalKey,
  table: string,
  position: IndexPosition,
): Promise<void> {
  const { blockNumber, blockHash, builtTo, rows, digest, marked } = position;
  const values = {
    ...{ table_name: table, block_number: blockNumber, block_hash: blockHash, built_to: builtTo, rows, digest },
    marked,
    code: codeOfPosition(key, table, position),
  };
  await database
    .insertInto("index_progress")
    .values({ id: 1, ...values })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
    .execute();
}

/**
 * Records the table that the server stores its records in; checks that it is that of before.
 * @throws SealbookError `conflict`
 */
export async function assertSameTable(database: Database, table: string): Promise<void> {
  await database
    .insertInto("index_progress")
    .values({ id: 1, table_name: table, ...NO_POSITION })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  const { table_name: other } = await database
    .selectFrom("index_progress")
    .select("table_name")
    .executeTakeFirstOrThrow();
  if (other === table) return;
  throw new SealbookError(
    "conflict",
    `the records of this server are in table ${JSON.stringify(other)}, but TABLE_NAME is ` +
      `${JSON.stringify(table)}: set it back, or use a DATA_DIR and a DATABASE_URL of its own for the other table`,
  );
}

/**
 * Adds a write on chain; its cost does not depend on how often a row is written.
 * @returns the end of the index after it
 */
async function addWrite(
  database: Database,
  key: JournalKey,
  end: IndexEnd,
  { write, row }: Extract<LogEntry, { kind: "row" }>,
): Promise<IndexEnd> {
  const { rowId, digest, transactionHash, blockNumber } = write;
  const rows = database.selectFrom("records").selectAll();
  // The current record of the number, when another row is written over it.
  const current = await rows
    .where("row_id", "=", rowId.toString())
    .where("overwritten_by", "is", null)
    .where("digest", "!=", digest)
    .executeTakeFirst();
  if (current !== undefined) await mark(database, key, current, transactionHash);
  const marked = end.marked + (current === undefined ? 0 : 1);
  if (row === undefined) return { ...end, marked };
  const known = await rows.where("digest", "=", digest).executeTakeFirst();
  // Written once more, it is the current row again.
  if (known !== undefined) {
    if (known.overwritten_by === null) return { ...end, marked };
    await mark(database, key, known, null);
    return { ...end, marked: marked - 1 };
  }
  const { sender, code, topic, createdAt, payload } = row;
  const added = {
    ...{ position: end.rows + 1, row_id: rowId.toString(), digest, sender, code, topic, created_at: createdAt },
    ...{ payload, transaction_hash: transactionHash, block_number: blockNumber, overwritten_by: null },
  };
  await database
    .insertInto("records")
    .values({ ...added, code_of_row: codeOfRecord(key, added) })
    .execute();
  return { rows: added.position, digest: digestAfter(end.digest, added), marked };
}

/** Changes the mark of a row. One that no relayer has written stays one. */
async function mark(
  database: Database,
  key: JournalKey,
  row: IndexRow,
  overwrittenBy: Uint8Array | null,
): Promise<void> {
  const marked = { ...row, overwritten_by: overwrittenBy };
  const code = isRecordOf(key, row) ? codeOfRecord(key, marked) : row.code_of_row;
  await database
    .updateTable("records")
    .set({ overwritten_by: overwrittenBy, code_of_row: code })
    .where("position", "=", row.position)
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
