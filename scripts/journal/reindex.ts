import { Command } from "commander";
import { yieldToEventLoop } from "../../server/kit/event-loop.ts";
import { SealbookError } from "../../server/errors.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { chunks } from "../../server/journal/engine/statement-cache.ts";
import { newestSequence } from "../../server/journal/entries/entry-log.ts";
import { readEntries } from "../../server/journal/entries/entry-source.ts";
import { readHead } from "../../server/journal/entries/journal-rows.ts";
import { entriesOf, EPOCH_BITS, type IndexedKey, rowsOf, TAG_BITS } from "../../server/journal/index/key-codec.ts";
import { SLICE_SIZE, SLICES } from "../../server/journal/index/key-merge.ts";
import { KEY_RANGE, keysOf } from "../../server/journal/index/proof-key.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { missingFile, openJournalToRead } from "../../server/composition/journal-database.ts";
import { parseConfig } from "../../server/config/config.ts";
import { showProgress } from "../proofs/file-run.ts";
import { CommandFailure, printLine, type Terminal } from "../commands/run-command.ts";
import { interruptible } from "./interruptible.ts";

const PAGE = 2_048;
/** Maximum number of keys in memory, of 16 bytes each. One slice can have more, when very many documents are equal. */
const MOST_KEYS = 4_000_000;
const KEYS_A_PROOF = 3;
const BUCKETS_A_SLICE = SLICE_SIZE / 2 ** TAG_BITS;

interface ReindexOptions {
  /** Receives the number of slices that are written. */
  readonly onSlices: (count: number) => void;
  /** Once aborted, the work ends after the current slice. */
  readonly signal: AbortSignal;
  readonly mostKeys?: number;
}

/** The extent of the new index. */
export interface Reindexed {
  readonly isComplete: boolean;
  /** The keys that were written. */
  readonly keys: number;
}

/**
 * Writes the index of proofs again from the entries of the journal. A slice is replaced in one
 * transaction: an interruption leaves each slice either as it was or new, and servers can run meanwhile. Keys that are
 * in memory have a bound: the entries are read once for each group of slices.
 * @throws SealbookError `journal_damaged` when an entry cannot be read
 */
export async function reindex(
  database: Database,
  { onSlices, signal, mostKeys = MOST_KEYS }: ReindexOptions,
): Promise<Reindexed> {
  const { proofs } = await readHead(database);
  const atOnce = Math.max(1, Math.floor((SLICES * mostKeys) / Math.max(1, KEYS_A_PROOF * proofs)));
  let keys = 0;
  for (let slice = 0; slice < SLICES;) {
    const group = new SliceGroup(slice, Math.min(SLICES, slice + atOnce), mostKeys);
    const last = await readKeys(database, group, signal);
    for (; slice < group.end; slice += 1) {
      if (signal.aborted) return { isComplete: false, keys };
      keys += await replaceSlice(database, slice, group.keysOf(slice), last);
      onSlices(slice + 1);
      await yieldToEventLoop();
    }
  }
  await removeStrays(database);
  return { isComplete: true, keys };
}

/** @returns the newest entry that was read */
async function readKeys(database: Database, group: SliceGroup, signal: AbortSignal): Promise<number> {
  const newest = await newestSequence(database);
  for (let from = 0; from < newest && !signal.aborted; from += PAGE) {
    const stored = await readEntries(database, from, Math.min(PAGE, newest - from)).catch(unreadable);
    for (const entry of stored) {
      if (entry.kind !== "proof") continue;
      const { documentId, hash, sequence } = entry;
      for (const key of keysOf({ documentId, hash, recordHash: recordHash(entry) })) group.add({ key, sequence });
    }
    // Yields the thread, which an embedded database blocks while it reads.
    await yieldToEventLoop();
  }
  return newest;
}

/** @param last Keys of later entries stay: a server wrote them meanwhile */
async function replaceSlice(
  database: Database,
  slice: number,
  keys: readonly IndexedKey[],
  last: number,
): Promise<number> {
  const [from, first] = [slice * SLICE_SIZE, slice * BUCKETS_A_SLICE];
  return database.transaction().execute(async (transaction) => {
    const recent = transaction
      .selectFrom("proof_keys_recent")
      .select(["key", "sequence"])
      .where("key", ">=", from)
      .where("key", "<", from + SLICE_SIZE)
      .where("sequence", ">", last);
    const merged = transaction
      .selectFrom("proof_keys")
      .selectAll()
      .where("bucket", ">=", first)
      .where("bucket", "<", first + BUCKETS_A_SLICE)
      .where("epoch", ">=", Math.floor(last / 2 ** EPOCH_BITS));
    const later = (await merged.execute())
      .flatMap(({ bucket, epoch, entries }) => entriesOf(bucket, epoch, entries))
      .concat(await recent.execute());
    const newest = await newestSequence(transaction);
    const all = [...keys, ...later.filter(({ sequence }) => sequence > last && sequence <= newest)];
    await transaction
      .deleteFrom("proof_keys_recent")
      .where("key", ">=", from)
      .where("key", "<", from + SLICE_SIZE)
      .execute();
    await transaction
      .deleteFrom("proof_keys")
      .where("bucket", ">=", first)
      .where("bucket", "<", first + BUCKETS_A_SLICE)
      .execute();
    for (const rows of chunks(rowsOf(all))) await transaction.insertInto("proof_keys").values(rows).execute();
    return all.length;
  });
}

/** Removes rows that belong to no slice. */
async function removeStrays(database: Database): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await transaction
      .deleteFrom("proof_keys_recent")
      .where((e) => e.or([e("key", "<", 0), e("key", ">=", KEY_RANGE)]))
      .execute();
    await transaction
      .deleteFrom("proof_keys")
      .where((e) => e.or([e("bucket", "<", 0), e("bucket", ">=", SLICES * BUCKETS_A_SLICE)]))
      .execute();
  });
}

/** The keys of consecutive slices; as many of them as fit into memory. */
class SliceGroup {
  readonly #first: number;
  readonly #mostKeys: number;
  readonly #slices: KeyList[];
  #count = 0;

  constructor(first: number, end: number, mostKeys: number) {
    this.#first = first;
    this.#mostKeys = mostKeys;
    this.#slices = Array.from({ length: end - first }, () => new KeyList());
  }

  /** The slice after the last one. */
  get end(): number {
    return this.#first + this.#slices.length;
  }

  /** Adds a key, if it is in one of the slices. */
  add(key: IndexedKey): void {
    const slice = this.#slices[Math.floor(key.key / SLICE_SIZE) - this.#first];
    if (slice === undefined) return;
    slice.add(key);
    this.#count += 1;
    // Equal documents fill one slice more than others: the last slices are left to a later group.
    while (this.#count > this.#mostKeys && this.#slices.length > 1) this.#count -= this.#slices.pop()?.length ?? 0;
  }

  keysOf(slice: number): IndexedKey[] {
    return this.#slices[slice - this.#first]?.keys() ?? [];
  }
}

/** A list of keys that takes little memory. */
class KeyList {
  #numbers = new Float64Array(64);
  length = 0;

  add({ key, sequence }: IndexedKey): void {
    if (2 * this.length === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#numbers.length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers.set([key, sequence], 2 * this.length);
    this.length += 1;
  }

  keys(): IndexedKey[] {
    return Array.from({ length: this.length }, (_, index) => ({
      key: this.#numbers[2 * index] ?? 0,
      sequence: this.#numbers[2 * index + 1] ?? 0,
    }));
  }
}

function unreadable(error: unknown): never {
  if (!(error instanceof RangeError)) throw error;
  throw new SealbookError("journal_damaged", `${error.message}; restore the journal first`, { cause: error });
}

const INTERRUPTED = 130;

/** Creates the command `journal reindex`. */
export function reindexCommand(terminal: Terminal): Command {
  return new Command("reindex")
    .description("Writes the index of proofs again from the entries of the journal, with or without running servers.")
    .addHelpText(
      "after",
      `
The index has 256 slices, each of which is replaced at once: the command can be interrupted and repeated at any time.
The entries are trusted: run "npx sealbook journal check" before and after it.
Exit code: 0 the index is new, 1 an entry cannot be read, 2 wrong usage, 130 interrupted.`,
    )
    .action(() => run(terminal));
}

async function run(terminal: Terminal): Promise<void> {
  const config = parseConfig(terminal.variables, { relays: false });
  const missing = missingFile(config.database);
  if (missing !== undefined) throw new CommandFailure(`there is no database at ${missing}`);
  const database = await openJournalToRead(config);
  const progress = showProgress("indexing", SLICES, "slices");
  let done = 0;
  try {
    const onSlices = (count: number): void => {
      progress.tick(count - done);
      done = count;
    };
    const { isComplete, keys } = await interruptible((signal) => reindex(database, { onSlices, signal }));
    progress.stop();
    printLine(terminal, `${isComplete ? "" : "interrupted: "}${done} of ${SLICES} slices, ${keys} keys written`);
    if (!isComplete) terminal.exit(INTERRUPTED);
  } finally {
    progress.stop();
    await database.destroy();
  }
}
