import { type AccountChange, accountStore, serviceLogStore } from "../sessions/index.ts";
import type { VerifiedHeader } from "../chain/evidence/verified-block.ts";
import type { Address } from "../chain/transaction.ts";
import type { Database } from "../journal/engine/database.ts";
import { inTransaction } from "../journal/entries/entry-log.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { SealbookError } from "../errors.ts";
import { addWrite, byWriter, type IndexEnd, NO_ROWS, type RowEntry, type Written } from "./indexed-rows.ts";
import { codeOfPosition, type IndexPosition, positionOf } from "./record-code.ts";

/** An event and its meaning for the index. */
export type LogEntry =
  RowEntry | { readonly kind: "account"; readonly address: Address; readonly change: AccountChange };

/** Events and block hashes of the chain. */
export interface EventLog {
  blockHash(blockNumber: number): Promise<Uint8Array | undefined>;
  /** Returns the entries of a range of blocks, both ends included, in order. */
  entries(fromBlock: number, toBlock: number): Promise<LogEntry[]>;
  /** Returns the entries of verified blocks, in order. */
  entriesIn(blocks: readonly VerifiedHeader[]): Promise<LogEntry[]>;
  /** Deployment block of the oldest contract. */
  readonly firstBlock: number;
}

/** Entries of a range of blocks, and the progress after it. */
interface IndexedRange {
  readonly entries: readonly LogEntry[];
  /** Required current progress; `undefined` for an empty index: rows that it has are dropped. */
  readonly after: number | undefined;
  readonly to: number;
  /** Of the last block. */
  readonly hash: Uint8Array;
  /** The newest block; that of the first range of an index is the end of its first build. */
  readonly head: number;
}

/** Writes what belongs into the same commit; inside the transaction. */
export type WriteBeside = (transaction: Database) => Promise<void>;

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

    /** Makes a commit that changes nothing in the index. */
    write: (beside: WriteBeside): Promise<void> => database.transaction().execute(beside),

    /**
     * Applies the entries of a range of blocks and the new progress in one commit, with a line of the service log for
     * each record by a transaction of the journal.
     * @param beside What is written whether the progress fits or not
     * @returns `undefined` if the progress is another one: somebody changed or dropped the index, or a commit without
     * an answer is on disk
     */
    async apply({ entries, after, to, hash, head }: IndexedRange, beside?: WriteBeside): Promise<Written | undefined> {
      return database.transaction().execute(async (transaction) => {
        await beside?.(transaction);
        const progress = await readPosition(transaction, key, table);
        if (progress?.blockNumber !== after) return undefined;
        // What no relayer has written is not in the way.
        await transaction
          .deleteFrom("records")
          .$if(progress !== undefined, (rows) => rows.where("position", ">", progress?.rows ?? 0))
          .execute();
        const accounts = accountStore(transaction);
        const rows: RowEntry[] = [];
        let end: IndexEnd = progress ?? NO_ROWS;
        for (const entry of entries) {
          if (entry.kind === "account") await accounts.applyChange(entry.address, entry.change);
          else {
            end = await addWrite(transaction, key, end, entry);
            rows.push(entry);
          }
        }
        const builtTo = progress?.builtTo ?? head;
        await storePosition(transaction, key, table, { ...end, blockNumber: to, blockHash: hash, builtTo });
        const written = await byWriter(
          transaction,
          rows.filter(({ write }) => write.blockNumber > builtTo),
        );
        const log = serviceLogStore(transaction);
        for (const { rowId, account } of written.own)
          await log.append({ time: Date.now(), level: "info", account, message: `record ${rowId} stored` });
        return written;
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

/** The record index: a local copy of the event table's rows. Written by the event indexer. */
export type RecordIndexStore = ReturnType<typeof recordIndexStore>;
