import type { Database } from "../journal/engine/database.ts";
import { inSnapshot } from "../journal/engine/snapshot.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import type { Findings } from "../journal/findings/findings.ts";
import { RECORD_INDEX } from "../journal/findings/subject.ts";
import { equalBytes } from "../kit/bytes.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { EventIndexer } from "./event-indexer.ts";
import { digestAfter, type IndexPosition, isRecordOf, positionOf, type IndexRow } from "./record-code.ts";

/** Rows that are read at once: each can have many kilobytes. */
const ROWS_AT_ONCE = 100;
const CHANGED = "is not as relayers have written it: searches can miss records";

export interface IndexCheckDeps {
  readonly database: Database;
  readonly key: JournalKey;
  /** Name of the table on chain. */
  readonly table: string;
}

/** What becomes of a changed index. */
export interface IndexRepairDeps extends IndexCheckDeps {
  readonly findings: Pick<Findings, "journalDiverged" | "keep">;
  readonly indexer: Pick<EventIndexer, "isBehind" | "rebuild">;
  /** Only the leader writes the index. */
  readonly isLeader: boolean;
}

/** Checks the record index, reports what is wrong, and has the leader build one anew that was changed. */
export async function checkRecordIndex(deps: IndexRepairDeps, isStopped: () => boolean): Promise<void> {
  const { findings, indexer, isLeader } = deps;
  // The index can have been built anew during the first look.
  const fault = (await recordIndexFault(deps, isStopped)) && (await recordIndexFault(deps, isStopped));
  if (fault === undefined) {
    if (indexer.isBehind) findings.keep(RECORD_INDEX);
    return;
  }
  const message = `the record index: ${fault}`;
  findings.journalDiverged(RECORD_INDEX, message);
  if (isLeader) indexer.rebuild(message);
}

/**
 * Checks every row of the record index, beside a server that writes it: each has its code, none is missing and none
 * was added.
 * @returns what is wrong; `undefined` when nothing is, or the check was stopped
 */
export async function recordIndexFault(deps: IndexCheckDeps, isStopped: () => boolean): Promise<string | undefined> {
  try {
    return await compare(deps, isStopped);
  } catch (error) {
    // A number that cannot be counted with.
    if (error instanceof RangeError || error instanceof TypeError) return `one of its rows ${CHANGED}`;
    throw error;
  }
}

async function compare(deps: IndexCheckDeps, isStopped: () => boolean): Promise<string | undefined> {
  const { database, key } = deps;
  const start = await readEnd(deps);
  if (start.position === undefined) return start.isEmpty ? undefined : `its position ${CHANGED}`;
  const { rows, digest: expected, marked: expectedMarks } = start.position;
  let digest: Uint8Array = new Uint8Array(expected.length);
  let marked = 0;
  let done = 0;
  let fault: string | undefined;
  while (done < rows && fault === undefined) {
    if (isStopped()) return undefined;
    // An embedded database blocks the thread while it reads.
    await yieldToEventLoop();
    const read = await readRows(database, done, rows);
    for (const row of read) {
      fault ??= row.position === done + 1 && isRecordOf(key, row) ? undefined : `its row ${done + 1} ${CHANGED}`;
      if (fault !== undefined) break;
      digest = digestAfter(digest, row);
      if (row.overwritten_by !== null) marked += 1;
      done += 1;
    }
    if (read.length === 0) fault = `its row ${done + 1} ${CHANGED}`;
  }
  const end = await readEnd(deps);
  // It was built anew meanwhile: the next check reads that one.
  if (end.position !== undefined && !isContinued(start.position, end.position)) return undefined;
  if (end.position === undefined) return end.isEmpty ? undefined : `its position ${CHANGED}`;
  // Rows can have been written over meanwhile; no mark ends.
  const isMarked = marked >= expectedMarks && marked <= end.position.marked;
  if (fault === undefined && (!isMarked || !equalBytes(digest, expected))) fault = `one of its rows ${CHANGED}`;
  return fault ?? (end.last === end.position.rows ? undefined : `its row ${end.last} ${CHANGED}`);
}

/** Where the index ends. */
interface End {
  readonly position: IndexPosition | undefined;
  /** The position of the last row; 0 without rows. */
  readonly last: number;
  /** Whether it has neither rows nor a position: it is to be built. */
  readonly isEmpty: boolean;
}

function readEnd({ database, key, table }: IndexCheckDeps): Promise<End> {
  return inSnapshot(database, async (snapshot) => {
    const row = await snapshot.selectFrom("index_progress").selectAll().executeTakeFirst();
    const { last } = await snapshot
      .selectFrom("records")
      .select((e) => e.fn.max<number | null>("position").as("last"))
      .executeTakeFirstOrThrow();
    const isEmpty = last === null && (row === undefined || row.block_number === null);
    return { position: positionOf(key, table, row), last: last ?? 0, isEmpty };
  });
}

function isContinued(start: IndexPosition, end: IndexPosition): boolean {
  return end.blockNumber >= start.blockNumber && end.rows >= start.rows;
}

function readRows(database: Database, after: number, upTo: number): Promise<IndexRow[]> {
  return database
    .selectFrom("records")
    .selectAll()
    .$if(after > 0, (rows) => rows.where("position", ">", after))
    .where("position", "<=", upTo)
    .orderBy("position")
    .limit(ROWS_AT_ONCE)
    .execute();
}
