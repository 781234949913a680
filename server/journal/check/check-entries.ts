import { equalBytes } from "../../kit/bytes.ts";
import { yieldToEventLoop } from "../../kit/event-loop.ts";
import type { Database } from "../engine/database.ts";
import type { ConfirmationEntry } from "../entries/codec.ts";
import { journalSource } from "../entries/entry-source.ts";
import { isFound, readTables } from "../entries/entry-tables.ts";
import { readHead, storedRows } from "../entries/journal-rows.ts";
import { missingKeys } from "../index/missing-keys.ts";
import type { JournalHead } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { type EntryFinding, subjectOf } from "./entry-finding.ts";
import { type CheckedRow, RowChain } from "./row-chain.ts";

/** Entries that are checked at once, as far as rows end there. */
const ENTRIES_AT_ONCE = 2_048;
/** Digests that are kept for checkpoints: a checkpoint is confirmed soon after its entry. */
const KEPT_DIGESTS = 16 * ENTRIES_AT_ONCE;

/** What is to be checked. */
interface EntriesCheck {
  readonly database: Database;
  /** `undefined`: rows have to give their digests only. */
  readonly key: JournalKey | undefined;
  /** An entry with a known digest, after which the check begins. */
  readonly start: JournalHead;
  /** The newest entry to check, with the digest that is stored for it. */
  readonly head: JournalHead;
  /** Whether proofs are looked up by their keys. */
  readonly readsIndex: boolean;
}

/** Rows that were checked, in order, and what was found in them. */
export interface CheckedPage {
  readonly rows: readonly CheckedRow[];
  readonly findings: readonly EntryFinding[];
  /** The last entry, with the digest of its row. */
  readonly reached: JournalHead;
}

/**
 * Checks the entries of a journal, a page at a time: none is missing, each gives its digest and its code and is in the
 * tables for finding as the journal has it, each proof is found by its keys, and each anchored checkpoint is the digest
 * of its entry. It only reads, beside a server that writes.
 */
export async function* checkEntries(check: EntriesCheck): AsyncGenerator<CheckedPage, void> {
  const { database, key, start, head } = check;
  let findings: EntryFinding[] = [];
  const chain = new RowChain(start, key, (finding) => findings.push(finding));
  const digests = new Map<number, Uint8Array>();
  let rows: CheckedRow[] = [];
  let done = start.sequence;

  const checkpoint = async ({ sequence, hash }: ConfirmationEntry, of: number): Promise<void> => {
    const stored = () => journalSource(database, key).digestAt(of);
    const digest = digests.get(of) ?? (await stored().catch(changed));
    if (!equalBytes(digest, hash)) findings.push({ kind: "checkpoint_differs", sequence, checkpoint: of });
  };
  const page = async (): Promise<CheckedPage> => {
    const entries = rows.flatMap((row) => row.entries);
    const tables = await readTables(database, done, chain.at.sequence);
    for (const { lines, entries: own } of rows) {
      for (const line of lines) {
        if (isFound(tables, line)) continue;
        const entry = own.find(({ sequence }) => sequence === line.sequence);
        if (entry !== undefined)
          findings.push({ kind: "entry_differs", sequence: line.sequence, subject: subjectOf(entry) });
      }
    }
    const proofs = check.readsIndex ? entries.filter((entry) => entry.kind === "proof") : [];
    for (const missing of await missingKeys(database, proofs)) findings.push({ kind: "key_missing", ...missing });
    // Rows of tables whose entries are of another kind, or are not there.
    for (const sequence of tables.keys()) findings.push({ kind: "entry_beyond", sequence });
    for (const entry of entries)
      if (entry.kind === "confirmation" && entry.checkpoint !== null) await checkpoint(entry, entry.checkpoint);
    for (const oldest of digests.keys()) {
      if (digests.size <= KEPT_DIGESTS) break;
      digests.delete(oldest);
    }
    const checked = { rows, findings, reached: chain.at };
    [rows, findings, done] = [[], [], chain.at.sequence];
    return checked;
  };

  for await (const row of storedRows(database, start.sequence, head.sequence)) {
    rows.push(chain.next(row));
    digests.set(row.last, row.digest);
    if (row.last - done < ENTRIES_AT_ONCE) continue;
    yield await page();
    // An embedded database blocks the thread while it reads.
    await yieldToEventLoop();
  }
  chain.end(head);
  yield await page();
}

/** A row that was changed gives no digest. */
function changed(error: unknown): undefined {
  if (error instanceof RangeError) return undefined;
  throw error;
}

/** Finds rows and facts of entries that are outside of the journal, which ends with `head`. */
export async function checkExtent(database: Database, head: JournalHead): Promise<EntryFinding[]> {
  const findings: EntryFinding[] = [];
  const beyond = await readTables(database, head.sequence, Number.MAX_SAFE_INTEGER);
  const before = await readTables(database, Number.MIN_SAFE_INTEGER, 0);
  // What is written during the check is in the journal by now.
  const { sequence: newest } = await readHead(database);
  for (const sequence of [...beyond.keys(), ...before.keys()])
    if (sequence > newest || sequence < 1) findings.push({ kind: "entry_beyond", sequence });
  // No entry has such a number: reading begins after them.
  for await (const { first, last } of storedRows(database, Number.MIN_SAFE_INTEGER, 0))
    findings.push({ kind: "row_changed", sequence: first, last });
  return findings;
}
