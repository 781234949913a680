import type { ProofEntry } from "../journal/entries/codec.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { entriesWith, someWith } from "../journal/index/proof-index.ts";
import { documentKey, keyOf, type KeyKind, type KeyRange } from "../journal/index/proof-key.ts";
import { recordHashOf } from "../journal/integrity/record-hash.ts";
import { hashesUnder } from "../journal/integrity/stored-anchor.ts";
import { equalBytes, hex } from "../kit/bytes.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { type ReadAnchor, readAnchors } from "./anchor-states.ts";
import { type AcceptedProof, metadataOf, type StoredProof } from "./proof.ts";

/** The document or the content of proofs. */
export type ProofSubject = { readonly documentId: string } | { readonly hash: Uint8Array };

/**
 * Returns the proofs of some entries, in the order of their numbers. Leaves other entries out: a key may lead anywhere.
 * @throws SealbookError `journal_damaged` when an entry is missing or was changed
 */
export function readProofs(
  checked: VerifiedEntries,
  numbers: readonly number[],
  isWanted: (entry: ProofEntry) => boolean = () => true,
): Promise<StoredProof[]> {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  if (sorted.length === 0) return Promise.resolve([]);
  return checked.inSnapshot(async (reads) => {
    const entries = await reads.entries(sorted);
    const proofs = entries.filter((entry) => entry.kind === "proof");
    return withAnchors(reads, proofs.filter(isWanted));
  });
}

/** Returns the proofs with one of some keys, oldest first. Throws as {@link readProofs} does. */
export function readProofsWith(
  checked: VerifiedEntries,
  kind: KeyKind,
  keys: readonly number[],
  isWanted: (entry: ProofEntry) => boolean,
): Promise<StoredProof[]> {
  return checked.inSnapshot(async (reads) =>
    readProofs(reads, await entriesWith(reads.database, kind, keys), isWanted),
  );
}

/**
 * Reads the proofs of a subject in pages; the cost of a page does not grow with their number: a million proofs may have
 * the same content. Other requests are served between two pages.
 */
export async function* proofPages(
  checked: VerifiedEntries,
  subject: ProofSubject,
  { order, from, limit }: KeyRange,
): AsyncGenerator<StoredProof[], undefined> {
  const [kind, key] =
    "documentId" in subject
      ? (["document", documentKey(subject.documentId)] as const)
      : (["hash", keyOf(subject.hash)] as const);
  for (let end = from; ;) {
    const { numbers, proofs } = await checked.inSnapshot(async (reads) => {
      const numbers = await someWith(reads.database, kind, key, { order, from: end, limit });
      return { numbers, proofs: await readProofs(reads, numbers, (entry) => isOf(entry, subject)) };
    });
    yield order === "newest first" ? proofs.reverse() : proofs;
    if (numbers.length < limit) return;
    end = (order === "newest first" ? numbers[0] : numbers.at(-1)) ?? end;
    await yieldToEventLoop();
  }
}

/** Adds the states of their anchors to the entries of proofs. */
export async function withAnchors(checked: VerifiedEntries, proofs: readonly ProofEntry[]): Promise<StoredProof[]> {
  const anchors = await readAnchors(checked, [...new Set(proofs.map(({ anchor }) => anchor))]);
  return proofs.map((entry) => {
    const anchor = anchors.get(entry.anchor);
    const fault = anchor?.fault ?? faultOf(entry, anchor);
    const recordHash = recordHashOf(entry);
    if (fault !== undefined) checked.report(fault, `proof ${hex(recordHash)}`);
    return {
      sequence: entry.sequence,
      documentId: entry.document_id,
      hash: entry.hash,
      recordHash,
      metadata: metadataOf(entry),
      acceptedAt: entry.accepted_at,
      anchorId: entry.anchor,
      leafIndex: entry.leaf,
      content: anchor?.content,
      outcome: anchor === undefined || fault !== undefined ? { state: "pending" } : anchor.outcome,
      fault,
    };
  });
}

/** Every accepted proof is a leaf under its anchor; one that is open has no end yet. */
function faultOf({ sequence, anchor: id, leaf }: ProofEntry, anchor: ReadAnchor | undefined): string | undefined {
  if (anchor === undefined) return `the journal was changed: anchor ${id} of entry ${sequence} is missing`;
  const isUnder = !anchor.isCheckpoint && (anchor.content === undefined || leaf < hashesUnder(anchor.content));
  return isUnder ? undefined : `the journal was changed: entry ${sequence} is not under its anchor ${id}`;
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

function isOf({ document_id: documentId, hash }: ProofEntry, subject: ProofSubject): boolean {
  return "documentId" in subject ? documentId === subject.documentId : equalBytes(hash, subject.hash);
}
