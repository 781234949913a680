import { equalBytes } from "../../kit/bytes.ts";
import { yieldToEventLoop } from "../../kit/event-loop.ts";
import { JournalRow, type StoredRow } from "../entries/journal-row.ts";
import { GENESIS, type JournalHead } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import type { ObjectStore } from "./object-store.ts";
import {
  decodeRows,
  nameFrom,
  type ObjectName,
  parseObjectName,
  ReplicaFault,
  type ReplicaJournal,
  type ReplicaObject,
} from "./replica-object.ts";

/** Maximum length of an object: what a store states must not exhaust the memory. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Rows that are checked before others get the thread. */
const ROWS_AT_ONCE = 200;

/**
 * Numbers of entries before the newest one from which names are listed. A store lists names in ascending order only,
 * and the newest objects are wanted.
 */
const SPANS = [20_000, 2_000_000, 200_000_000];

/** Returns the object with the newest entries, of those after a name; `undefined` when there is none. */
export async function newestObject(store: ObjectStore, after: string): Promise<ObjectName | undefined> {
  let newest: ObjectName | undefined;
  for await (const each of names(store, after)) if (each.last >= (newest?.last ?? 0)) newest = each;
  return newest;
}

/**
 * Finds the object with the newest entries.
 * @param head About the newest entry that it can have
 */
export async function findNewestObject(store: ObjectStore, head: number): Promise<ObjectName | undefined> {
  for (const span of SPANS) {
    if (span >= head) break;
    const newest = await newestObject(store, nameFrom(head - span));
    if (newest !== undefined) return newest;
  }
  return newestObject(store, "");
}

/**
 * Reads an object.
 * @param previous Digest before its first entry; the rows are not checked
 * @throws ReplicaFault when it is missing or damaged
 */
export async function readObject(store: ObjectStore, object: ObjectName, previous: Uint8Array): Promise<ReplicaObject> {
  const content = await store.get(object.name, MOST_BYTES);
  if (content === undefined) throw new ReplicaFault(`${object.name} cannot be read`);
  return decodeRows(content, object, previous);
}

/**
 * Returns the name of the journal in a replica; `undefined` without an object.
 * @param key `undefined`: the name is taken as it is
 * @throws ReplicaFault when it was changed
 */
export async function replicatedJournal(store: ObjectStore, key: JournalKey | undefined): Promise<string | undefined> {
  for await (const object of names(store, "")) {
    const read = await readObject(store, object, GENESIS.digest);
    assertName(object, read, key);
    return read.journal;
  }
  return undefined;
}

/**
 * Reads all rows of a replica, from the first on. One object is in memory at a time, and is returned after each of its
 * rows was checked. Objects without further entries are skipped: two relayers can store the same rows.
 * @param key `undefined`: rows have to give their digests only
 * @throws ReplicaFault at the first fault: rows that are missing, were changed, or belong to another journal
 */
export async function* replicaObjects(
  store: ObjectStore,
  key: JournalKey | undefined,
): AsyncGenerator<ObjectName & ReplicaObject, void> {
  let at: JournalHead = GENESIS;
  let journal: string | undefined;
  for await (const object of names(store, "")) {
    if (object.last <= at.sequence) continue;
    if (object.first > at.sequence + 1)
      throw new ReplicaFault(`the entries ${at.sequence + 1} to ${object.first - 1} are missing before ${object.name}`);
    const read = await readObject(store, object, at.digest);
    assertName(object, read, key);
    journal ??= read.journal;
    if (read.journal !== journal) throw new ReplicaFault(`${object.name} names another journal than those before it`);
    const further: StoredRow[] = [];
    for (const [index, row] of read.rows.entries()) {
      if (index % ROWS_AT_ONCE === 0) await yieldToEventLoop();
      if (row.last <= at.sequence) continue;
      const followed = { ...row, previous: at.digest };
      at = checked(object, followed, at.sequence, key);
      further.push(followed);
    }
    yield { ...object, ...read, rows: further };
  }
}

function assertName({ name }: ObjectName, { journal, nameCode }: ReplicaJournal, key: JournalKey | undefined): void {
  if (key !== undefined && !equalBytes(nameCode, key.codeOfName(journal)))
    throw new ReplicaFault(`${name} is another journal's, or the name of the journal in it was changed`);
}

function checked({ name }: ObjectName, row: StoredRow, after: number, key: JournalKey | undefined): JournalHead {
  const range = `the entries ${row.first} to ${row.last} in ${name}`;
  if (row.first !== after + 1) throw new ReplicaFault(`${range} do not follow entry ${after}`);
  try {
    return { sequence: row.last, digest: JournalRow.checked(key, row).digestAt() };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ReplicaFault(`${range} were changed, or are another journal's`);
  }
}

async function* names(store: ObjectStore, after: string): AsyncGenerator<ObjectName, void> {
  for await (const name of store.list(after)) {
    const parsed = parseObjectName(name);
    if (parsed !== undefined) yield parsed;
  }
}
