import type { Insertable } from "kysely";
import { SealbookError } from "../errors.ts";
import type { Database } from "../journal/engine/database.ts";
import type { ProofsTable, RecentKeysTable } from "../journal/engine/schema.ts";
import type { ProofEntry } from "../journal/entries/codec.ts";
import { decodeLabel } from "../journal/entries/proof-labels.ts";
import { keysOf } from "../journal/index/proof-key.ts";
import { linkOf } from "../journal/integrity/entry-chain.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";
import { OUTCOME_COLUMNS, toAnchorOutcome } from "./anchor-store.ts";
import { type AcceptedProof, metadataOf, type ProofMetadata, type StoredProof } from "./proof.ts";

/** Selects proofs with the outcomes of their anchors. */
export function selectProofs(database: Database) {
  return database
    .selectFrom("proofs")
    .innerJoin("anchors", (join) =>
      join
        .onRef("anchors.batch_id", "=", "proofs.batch_id")
        .onRef("anchors.first_leaf", "<=", "proofs.leaf_index")
        .onRef("anchors.last_leaf", ">=", "proofs.leaf_index"),
    )
    .leftJoin("proof_labels", "proof_labels.id", "proofs.label_id")
    .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .leftJoin("contracts", "contracts.id", "confirmations.contract_id")
    .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select([
      "proofs.sequence",
      "proofs.document_id",
      "proofs.hash",
      "proofs.timestamp",
      "proof_labels.text as label",
      "proofs.metadata",
      "proofs.accepted_at",
      "proofs.leaf_index",
      "proofs.shares_leaf",
      "anchors.id as anchor_id",
      "anchors.first_leaf",
      "anchors.first_sequence",
      "anchors.last_sequence",
      "anchors.hash as anchor_hash",
      "anchors.size",
      "anchors.confirmation",
      ...OUTCOME_COLUMNS,
    ]);
}

export type ProofRow = Awaited<ReturnType<ReturnType<typeof selectProofs>["executeTakeFirstOrThrow"]>>;

/** @throws SealbookError `journal_damaged` when the row was changed so that it cannot be read */
export function toProof(row: ProofRow): StoredProof {
  try {
    return readProof(row);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new SealbookError("journal_damaged", `entry ${row.sequence}: ${cause.message}`, { cause });
  }
}

function readProof(row: ProofRow): StoredProof {
  const metadata = toMetadata(row);
  const parts = { documentId: row.document_id, timestamp: row.timestamp, type: metadata.type ?? "", hash: row.hash };
  return {
    sequence: row.sequence,
    confirmation: row.confirmation ?? undefined,
    documentId: row.document_id,
    hash: row.hash,
    recordHash: recordHash(parts),
    metadata,
    acceptedAt: row.accepted_at,
    anchorId: row.anchor_id,
    leafIndex: row.leaf_index - row.first_leaf,
    sharesLeaf: row.shares_leaf === 1,
    isLeaf: row.shares_leaf === 0 && row.sequence >= row.first_sequence && row.sequence <= row.last_sequence,
    content: row.anchor_hash === null ? undefined : { hash: row.anchor_hash, size: row.size },
    outcome: toAnchorOutcome(row),
  };
}

function toMetadata({ timestamp, metadata, label }: ProofRow): ProofMetadata {
  const { type, source } = decodeLabel(label);
  return metadataOf({ timestamp, metadata, type, source });
}

/** Returns the proof's own fields of an entry; the caller adds the leaf in the batch. */
export function toEntry(proof: AcceptedProof): Omit<ProofEntry, "sequence" | "batch" | "leaf"> {
  const { type, timestamp, source, ...rest } = proof.metadata;
  return {
    documentId: proof.documentId,
    hash: proof.hash,
    timestamp,
    type: type ?? null,
    source: source ?? null,
    metadata: isEmpty(rest) ? null : JSON.stringify(rest),
    acceptedAt: proof.acceptedAt,
  };
}

/** Builds a row of the table of proofs. */
export function proofRow(
  entry: ProofEntry,
  digest: Uint8Array,
  labelId: number | null,
  sharesLeaf: boolean,
): Insertable<ProofsTable> {
  return {
    sequence: entry.sequence,
    accepted_at: entry.acceptedAt,
    timestamp: entry.timestamp,
    batch_id: entry.batch,
    label_id: labelId,
    leaf_index: entry.leaf,
    shares_leaf: sharesLeaf ? 1 : 0,
    link: linkOf(digest),
    hash: entry.hash,
    document_id: entry.documentId,
    metadata: entry.metadata,
  };
}

/** Returns the keys of proofs, in the order that is fastest for the index. */
export function proofKeys(
  proofs: readonly { sequence: number; documentId: string; hash: Uint8Array; recordHash: Uint8Array }[],
): RecentKeysTable[] {
  return proofs
    .flatMap((proof) => keysOf(proof).map((key) => ({ key, sequence: proof.sequence })))
    .sort((a, b) => a.key - b.key);
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}
