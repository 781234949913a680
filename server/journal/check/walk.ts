import { equalBytes } from "../../kit/bytes.ts";
import { yieldToEventLoop } from "../../kit/event-loop.ts";
import type { Database } from "../engine/database.ts";
import type { ConfirmationEntry, JournalEntry, ProofEntry } from "../entries/codec.ts";
import { entryOf, journalSource } from "../entries/entry-source.ts";
import { isFound, readTables } from "../entries/entry-tables.ts";
import type { StoredRow } from "../entries/journal-row.ts";
import { readHead, rowsOf, storedRows } from "../entries/journal-rows.ts";
import { missingKeys } from "../index/missing-keys.ts";
import { someWith } from "../index/proof-index.ts";
import { keyOf } from "../index/proof-key.ts";
import type { JournalHead } from "../integrity/entry-chain.ts";
import type { SettledHead } from "../integrity/head-file.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { recordHashOf } from "../integrity/record-hash.ts";
import { anchorFinding, confirmationFault, openFault, readAnchorRows, type ReadConfirmation } from "./anchor-rows.ts";
import { type AnchorFault, type Finding, entrySubject } from "./finding.ts";
import { type OpenAnchor, OpenAnchors } from "./open-anchors.ts";
import { type CheckedRow, RowChain } from "./row-chain.ts";

/** Entries that are checked at once, as far as rows end there. */
const ENTRIES_AT_ONCE = 2_048;
/** Digests that are kept for checkpoints: a checkpoint is confirmed soon after its entry. */
const KEPT_DIGESTS = 16 * ENTRIES_AT_ONCE;
/** Proofs with the key of a recorded hash that are looked at for the first one with it: other keys are rarely equal. */
const MOST_CANDIDATES = 8;

export interface WalkDeps {
  readonly database: Database;
  /** `undefined`: rows have to give their digests only. */
  readonly key: JournalKey | undefined;
  /** Takes each difference as soon as it is found. */
  readonly onFinding: (finding: Finding) => void;
}

/** An anchor that no entry confirms, and that will not be confirmed. */
export interface LostAnchor extends OpenAnchor {
  readonly fault: AnchorFault;
}

/** Entries that were checked, in order. */
export interface WalkedPage {
  readonly entries: readonly JournalEntry[];
  /** Proofs that one of their keys does not lead to. */
  readonly unfound: readonly ProofEntry[];
  /** Confirmations whose anchors are as relayers have written them: what is left is to ask the chain. */
  readonly confirmations: readonly ReadConfirmation[];
}

/**
 * The check of a journal, from an entry on: none is missing, each gives its digest and its code, is in the tables for
 * finding as the journal has it, and is found by its keys; each proof is under one anchor, whose hash the proofs give;
 * each anchored checkpoint is the digest of its entry. It only reads, beside a server that writes, and takes the same
 * memory for any journal. It does not ask the chain.
 */
export class JournalWalk {
  readonly #deps: WalkDeps;
  readonly #chain: RowChain;
  readonly #open: OpenAnchors;
  readonly #digests = new Map<number, Uint8Array>();

  /** @param start With a known digest */
  constructor(deps: WalkDeps, start: SettledHead) {
    this.#deps = deps;
    this.#open = new OpenAnchors(start.anchor);
    this.#chain = new RowChain(start, deps.key, deps.onFinding);
  }

  /** The newest entry that was checked, with the digest that its row has. */
  get at(): JournalHead {
    return this.#chain.at;
  }

  /** The entry after which another walk begins, so that it reads all proofs that no entry confirms. */
  get settled(): SettledHead {
    return this.#open.before ?? { ...this.at, anchor: this.#open.highest };
  }

  /** Checks the entries up to one, a page at a time. After an error, another walk has to begin. */
  async *to(head: JournalHead): AsyncGenerator<WalkedPage> {
    let rows: CheckedRow[] = [];
    let done = this.at.sequence;
    for await (const row of storedRows(this.#deps.database, done, head.sequence)) {
      rows.push(this.#chain.next(row));
      this.#keep(row);
      if (row.last - done < ENTRIES_AT_ONCE) continue;
      yield await this.#page(rows, done);
      [rows, done] = [[], this.at.sequence];
      // An embedded database blocks the thread while it reads.
      await yieldToEventLoop();
    }
    this.#chain.end(head);
    yield await this.#page(rows, done);
  }

  /**
   * Compares the rows of the anchors that no entry confirms yet.
   * @returns those that are not as relayers write them, or are not to be sent
   */
  async lostAnchors(): Promise<LostAnchor[]> {
    const { database, key } = this.#deps;
    const open = this.#open.all();
    const ids = open.map(({ id }) => id);
    const known = await readAnchorRows(database, ids);
    return open.flatMap((anchor) => {
      const fault = openFault(key, anchor, known.get(anchor.id));
      return fault === undefined ? [] : [{ ...anchor, fault }];
    });
  }

  /** When the oldest proof was accepted that no entry confirms, Unix milliseconds; `undefined` without one. */
  get pendingSince(): number | undefined {
    return this.#open.oldest?.acceptedAt;
  }

  /** Number of proofs that no entry confirms. */
  get pending(): number {
    return this.#open.leaves;
  }

  async #page(rows: readonly CheckedRow[], done: number): Promise<WalkedPage> {
    const { database, onFinding } = this.#deps;
    const entries = rows.flatMap((row) => row.entries);
    await this.#tables(rows, done);
    const proofs = entries.filter((entry) => entry.kind === "proof");
    const missing = await missingKeys(database, proofs);
    for (const each of missing) onFinding({ kind: "key_missing", ...each });
    const unfoundAt = new Set(missing.map(({ sequence }) => sequence));
    const confirmed = entries.filter((entry) => entry.kind === "confirmation");
    const known = await readAnchorRows(
      database,
      [...proofs, ...confirmed].map(({ anchor }) => anchor),
    );
    for (const row of rows) {
      const before = { ...row.before, anchor: this.#open.highest };
      for (const entry of row.entries) await this.#leaf(entry, before);
    }
    const confirmations: ReadConfirmation[] = [];
    for (const entry of confirmed) {
      if (entry.checkpoint !== null) await this.#checkpoint(entry, entry.checkpoint);
      const row = known.get(entry.anchor);
      const fault = confirmationFault(this.#deps.key, entry, row);
      if (fault !== undefined) onFinding(anchorFinding(entry.anchor, entry.sequence, fault));
      else if (row !== undefined) confirmations.push({ entry, row });
    }
    return { entries, unfound: proofs.filter(({ sequence }) => unfoundAt.has(sequence)), confirmations };
  }

  /** Compares the tables for finding with the entries. */
  async #tables(rows: readonly CheckedRow[], done: number): Promise<void> {
    const { database, onFinding } = this.#deps;
    const tables = await readTables(database, done, this.at.sequence);
    for (const { lines, entries } of rows) {
      for (const line of lines) {
        if (isFound(tables, line)) continue;
        const entry = entries.find(({ sequence }) => sequence === line.sequence);
        if (entry !== undefined)
          onFinding({ kind: "entry_differs", sequence: line.sequence, subject: entrySubject(entry) });
      }
    }
    // Rows of tables whose entries are of another kind, or are not there.
    for (const sequence of tables.keys()) onFinding({ kind: "entry_beyond", sequence });
  }

  async #leaf(entry: JournalEntry, before: SettledHead): Promise<void> {
    const { onFinding } = this.#deps;
    if (entry.kind === "confirmation") this.#open.confirm(entry, onFinding);
    if (entry.kind !== "proof") return;
    const { sequence, anchor, leaf } = entry;
    if (!this.#open.add(entry, before, onFinding) && !(await this.#isShared(entry)))
      onFinding({ kind: "leaf_wrong", sequence, anchor, leaf });
  }

  /** Returns whether an earlier proof with the recorded hash has the same leaf. */
  async #isShared(entry: ProofEntry): Promise<boolean> {
    const { database, key } = this.#deps;
    const recorded = recordHashOf(entry);
    const range = { order: "oldest first", from: 0, limit: MOST_CANDIDATES } as const;
    const candidates = (await someWith(database, "record", keyOf(recorded), range)).filter(
      (sequence) => sequence < entry.sequence,
    );
    const rows = await rowsOf(database, key, candidates).catch(changed);
    // A row that was changed has a finding of its own.
    if (rows === undefined) return true;
    return candidates.some((sequence) => {
      const text = rows.find((row) => row.has(sequence))?.text(sequence);
      const earlier = text === undefined ? undefined : entryOf(sequence, text);
      if (earlier?.kind !== "proof" || earlier.anchor !== entry.anchor || earlier.leaf !== entry.leaf) return false;
      return equalBytes(recordHashOf(earlier), recorded);
    });
  }

  async #checkpoint({ sequence, hash }: ConfirmationEntry, of: number): Promise<void> {
    const { database, key, onFinding } = this.#deps;
    const digest = this.#digests.get(of) ?? (await journalSource(database, key).digestAt(of).catch(changed));
    if (!equalBytes(digest, hash)) onFinding({ kind: "checkpoint_differs", sequence, checkpoint: of });
  }

  #keep({ last, digest }: StoredRow): void {
    this.#digests.set(last, digest);
    const [oldest = last] = this.#digests.keys();
    if (this.#digests.size > KEPT_DIGESTS) this.#digests.delete(oldest);
  }
}

/** Finds rows and facts of entries that are outside of the journal, which ends with `head`. */
export async function findBeyond({ database, onFinding }: WalkDeps, head: JournalHead): Promise<void> {
  const beyond = await readTables(database, head.sequence, Number.MAX_SAFE_INTEGER);
  const before = await readTables(database, Number.MIN_SAFE_INTEGER, 0);
  const lastAnchor = await database
    .selectFrom("anchors")
    .select("first_sequence")
    .orderBy("first_sequence", "desc")
    .limit(1)
    .execute();
  // What is written during the check is in the journal by now.
  const { sequence: newest } = await readHead(database);
  for (const sequence of [...beyond.keys(), ...before.keys(), ...lastAnchor.map((anchor) => anchor.first_sequence)])
    if (sequence > newest || sequence < 1) onFinding({ kind: "entry_beyond", sequence });
  // No entry has such a number: reading begins after them.
  for await (const { first, last } of storedRows(database, Number.MIN_SAFE_INTEGER, 0))
    onFinding({ kind: "row_changed", sequence: first, last });
}

/** A row that was changed gives nothing. */
function changed(error: unknown): undefined {
  if (error instanceof RangeError) return undefined;
  throw error;
}
