import { SealbookError } from "../errors.ts";
import type { Database } from "../journal/engine/database.ts";
import { isAmong } from "../journal/engine/lists.ts";
import type { ProofEntry } from "../journal/entries/codec.ts";
import { entryOf } from "../journal/entries/entry-source.ts";
import { rowsOf, rowWith } from "../journal/entries/journal-rows.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { someWith } from "../journal/index/proof-index.ts";
import { documentKey, keyOf, type KeyRange } from "../journal/index/proof-key.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { recordHashOf } from "../journal/integrity/record-hash.ts";
import { hashesUnder } from "../journal/integrity/stored-anchor.ts";
import { CONFIRMATION_COLUMNS, OUTCOME_COLUMNS, toAnchorOutcome } from "./anchor-store.ts";
import { type AcceptedProof, metadataOf, type StoredProof } from "./proof.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { equalBytes } from "../kit/bytes.ts";

/** An anchor over proofs with its outcome. */
type AnchorRow = Awaited<ReturnType<ReturnType<typeof withTransactions>["executeTakeFirstOrThrow"]>>;

/**
 * Reads anchors over proofs, with their outcomes. Most are confirmed, and PostgreSQL plans a join of three tables
 * longer than all else in a look-up: only the others are read with it. Each anchor is read as one statement sees it.
 */
async function readAnchors(database: Database, ids: readonly number[]): Promise<Map<number, AnchorRow>> {
  if (ids.length === 0) return new Map();
  const confirmed = await anchorsWith(database, ids)
    .innerJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .select(CONFIRMATION_COLUMNS)
    .execute();
  const anchors = new Map<number, AnchorRow>(
    confirmed.map((row) => [row.anchor_id, { ...row, state: null, reason: null }]),
  );
  const others = ids.filter((id) => !anchors.has(id));
  if (others.length === 0) return anchors;
  for (const row of await withTransactions(database, others).execute()) anchors.set(row.anchor_id, row);
  return anchors;
}

function anchorsWith(database: Database, ids: readonly number[]) {
  return database
    .selectFrom("anchors")
    .select(["anchors.id as anchor_id", "anchors.hash as anchor_hash", "anchors.size", "anchors.confirmation"])
    .where(isAmong(database, "anchors.id", ids))
    .where("anchors.checkpoint", "is", null);
}

function withTransactions(database: Database, ids: readonly number[]) {
  return anchorsWith(database, ids)
    .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select(OUTCOME_COLUMNS);
}

/** Reads proofs from the rows of the journal, with the outcomes of their anchors. */
export class ProofReader {
  readonly #database: Database;
  readonly #key: JournalKey | undefined;

  /** @param key `undefined`: rows are taken as they are */
  constructor(database: Database, key: JournalKey | undefined) {
    this.#database = database;
    this.#key = key;
  }

  /**
   * Returns the proofs of some entries, in the order of their numbers.
   * Leaves entries of other kinds out: a key may lead anywhere.
   * @throws SealbookError `journal_damaged` when an entry is missing; with `checked` also when it was changed, or is
   * not under an anchor with an outcome
   */
  async read(numbers: readonly number[], checked?: VerifiedEntries): Promise<StoredProof[]> {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    if (sorted.length === 0) return [];
    const entries = await (checked === undefined ? this.#entries(sorted) : checked.entries(sorted));
    return this.withAnchors(
      entries.filter((entry) => entry.kind === "proof"),
      checked,
    );
  }

  /** Adds the anchors of proofs and their outcomes; throws as {@link read} does. */
  async withAnchors(proofs: readonly ProofEntry[], checked?: VerifiedEntries): Promise<StoredProof[]> {
    const ids = [...new Set(proofs.map(({ anchor }) => anchor))];
    const anchors = await readAnchors(this.#database, ids);
    return proofs.flatMap((entry) => {
      const found = anchors.get(entry.anchor);
      const anchor = found !== undefined && holds(found, entry.leaf) ? found : undefined;
      if (checked !== undefined) assertWhole(entry, anchor, checked);
      return anchor === undefined ? [] : [toProof(entry, anchor)];
    });
  }

  /**
   * Reads candidate proofs of a subject in pages; the cost of a page does not grow with their number: a million proofs
   * may have the same content. Other requests are served between two pages.
   */
  async *pages(
    subject: ProofSubject,
    { order, from, limit }: KeyRange,
    checked?: VerifiedEntries,
  ): AsyncGenerator<StoredProof[], undefined> {
    const [kind, key] =
      "documentId" in subject
        ? (["document", documentKey(subject.documentId)] as const)
        : (["hash", keyOf(subject.hash)] as const);
    for (let end = from; ;) {
      const numbers = await someWith(this.#database, kind, key, { order, from: end, limit });
      const proofs = await this.read(numbers, checked);
      yield order === "newest first" ? proofs.reverse() : proofs;
      if (numbers.length < limit) return;
      end = (order === "newest first" ? numbers[0] : numbers.at(-1)) ?? end;
      await yieldToEventLoop();
    }
  }

  async #entries(sorted: readonly number[]) {
    try {
      const rows = await rowsOf(this.#database, this.#key, sorted);
      return sorted.map((sequence) => {
        const row = rowWith(rows, sequence);
        if (row === undefined) throw new RangeError(`entry ${sequence} of the journal is missing`);
        return entryOf(sequence, row.text(sequence));
      });
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new SealbookError("journal_damaged", cause.message, { cause });
    }
  }
}

/** Returns whether a leaf is under an anchor; one that is open has no end yet. */
function holds({ anchor_hash: hash, size }: AnchorRow, leaf: number): boolean {
  return hash === null || leaf < hashesUnder({ size });
}

/** Checks that a proof is under an anchor with an outcome. */
function assertWhole({ sequence }: ProofEntry, anchor: AnchorRow | undefined, checked: VerifiedEntries): void {
  if (anchor === undefined)
    return checked.damaged(`entry ${sequence} is not a proof under its anchor, though the journal refers to it`);
  const { anchor_id: id, confirmation, state, block_number: block } = anchor;
  const isLost = confirmation === null ? state === "confirmed" : block === null;
  if (isLost) checked.damaged(`the confirmation of anchor ${id} is missing`);
}

function toProof(entry: ProofEntry, anchor: AnchorRow): StoredProof {
  return {
    sequence: entry.sequence,
    confirmation: anchor.confirmation ?? undefined,
    documentId: entry.document_id,
    hash: entry.hash,
    recordHash: recordHashOf(entry),
    metadata: metadataOf(entry),
    acceptedAt: entry.accepted_at,
    anchorId: anchor.anchor_id,
    leafIndex: entry.leaf,
    content: anchor.anchor_hash === null ? undefined : { hash: anchor.anchor_hash, size: anchor.size },
    outcome: toAnchorOutcome(anchor),
  };
}

/** Returns the proof's own fields of an entry; the caller adds its anchor and leaf. */
export function toEntry(proof: AcceptedProof): Omit<ProofEntry, "sequence" | "kind" | "anchor" | "leaf"> {
  const { type, timestamp, source, ...rest } = proof.metadata;
  return {
    document_id: proof.documentId,
    hash: proof.hash,
    timestamp,
    type: type ?? null,
    source: source ?? null,
    metadata: isEmpty(rest) ? null : rest,
    accepted_at: proof.acceptedAt,
  };
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** The document or the content of proofs. */
export type ProofSubject = { readonly documentId: string } | { readonly hash: Uint8Array };

/** Returns whether a proof is one of a subject. */
export function isOf({ documentId, hash }: StoredProof, subject: ProofSubject): boolean {
  return "documentId" in subject ? documentId === subject.documentId : equalBytes(hash, subject.hash);
}
