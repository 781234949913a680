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
import { CONFIRMATION_COLUMNS, toAnchorOutcome } from "./anchor-store.ts";
import { type AcceptedProof, metadataOf, type StoredProof } from "./proof.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { equalBytes } from "../kit/bytes.ts";

/** Reads anchors over proofs, with their outcomes. */
async function anchorsWith(database: Database, ids: readonly number[]) {
  const anchors = await database
    .selectFrom("anchors")
    .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .select(["anchors.id as anchor_id", "anchors.hash as anchor_hash", "anchors.size"])
    .select(["anchors.confirmation", "anchors.transaction_id", ...CONFIRMATION_COLUMNS])
    .where(isAmong(database, "anchors.id", ids))
    .where("anchors.checkpoint", "is", null)
    .execute();
  // Few are not confirmed, and a join of three tables takes PostgreSQL longer to plan than all else.
  const unconfirmed = anchors.flatMap((row) =>
    row.confirmation === null && row.transaction_id !== null ? [row.transaction_id] : [],
  );
  const transactions = unconfirmed.length === 0 ? [] : await transactionsWith(database, unconfirmed).execute();
  const states = new Map(transactions.map((row) => [row.id, row]));
  return new Map(
    anchors.map((row) => {
      const { state = null, reason = null } = states.get(row.transaction_id ?? 0) ?? {};
      return [row.anchor_id, { ...row, state, reason }];
    }),
  );
}

function transactionsWith(database: Database, ids: readonly number[]) {
  return database
    .selectFrom("transactions")
    .select(["id", "state", "reason"])
    .where(isAmong(database, "id", ids));
}

type AnchorRow = NonNullable<ReturnType<Awaited<ReturnType<typeof anchorsWith>>["get"]>>;

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
    const anchors = ids.length === 0 ? undefined : await anchorsWith(this.#database, ids);
    return proofs.flatMap((entry) => {
      const found = anchors?.get(entry.anchor);
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
