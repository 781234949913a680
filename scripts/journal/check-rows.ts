import type { Leaf } from "./batch-check.ts";
import type { JournalHead } from "../../server/journal/integrity/entry-chain.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { LabelCache, decodeLabel } from "../../server/journal/entries/proof-labels.ts";

/** Reads the newest entry and the number of proofs. */
export function journalHead(database: Database): Promise<JournalHead & { readonly proofs: number }> {
  return database.selectFrom("journal_head").select(["sequence", "digest", "proofs"]).executeTakeFirstOrThrow();
}

/** Reads the first and last stored entry and the newest entry by the head, in one snapshot. */
export async function journalExtent(database: Database): Promise<{ oldest: number; newest: number; head: number }> {
  const row = await database
    .selectFrom("journal_head")
    .select("sequence as head")
    .select((e) =>
      (["proofs", "confirmations", "accounts", "issuer_keys", "notices"] as const).flatMap((table) => [
        e
          .selectFrom(table)
          .select((each) => each.fn.max<number | null>("sequence").as("s"))
          .as(`newest_${table}`),
        e
          .selectFrom(table)
          .select((each) => each.fn.min<number | null>("sequence").as("s"))
          .as(`oldest_${table}`),
      ]),
    )
    .executeTakeFirstOrThrow();
  const known = (values: (number | null)[]): number[] => values.filter((value) => value !== null);
  return {
    head: row.head,
    newest: Math.max(
      0,
      ...known([
        row.newest_proofs,
        row.newest_confirmations,
        row.newest_accounts,
        row.newest_issuer_keys,
        row.newest_notices,
      ]),
    ),
    oldest: Math.min(
      1,
      ...known([
        row.oldest_proofs,
        row.oldest_confirmations,
        row.oldest_accounts,
        row.oldest_issuer_keys,
        row.oldest_notices,
      ]),
    ),
  };
}

/** Returns the recorded hash of the first proof with a leaf; `undefined` when there is none before an entry. */
export async function firstProofAt(
  database: Database,
  batch: number,
  leaf: number,
  before: number,
): Promise<Uint8Array | undefined> {
  const row = await ownProofs(database, batch)
    .where("proofs.leaf_index", "=", leaf)
    .where("proofs.sequence", "<", before)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { document_id: documentId, timestamp, hash, label } = row;
  return recordHash({ documentId, timestamp, hash, type: decodeLabel(label).type });
}

/** Reads the proofs of a batch in a range of entries. */
export async function leavesBefore(database: Database, batch: number, first: number, last: number): Promise<Leaf[]> {
  const labels = new LabelCache();
  const rows = await ownProofs(database, batch)
    .where("proofs.sequence", ">=", first)
    .where("proofs.sequence", "<=", last)
    .execute();
  return rows.map(({ sequence, leaf_index: leaf, document_id: documentId, timestamp, hash, label }) => ({
    sequence,
    leaf,
    recordHash: recordHash({ documentId, timestamp, hash, type: labels.read(label).type }),
    isDoubtful: false,
  }));
}

/** Reads the proofs that have leaves of their own, in the entry ranges that the batch's anchors state. */
function ownProofs(database: Database, batch: number) {
  return database
    .selectFrom("anchors")
    .innerJoin("proofs", (join) =>
      join
        .onRef("proofs.sequence", ">=", "anchors.first_sequence")
        .onRef("proofs.sequence", "<=", "anchors.last_sequence")
        .onRef("proofs.batch_id", "=", "anchors.batch_id")
        .onRef("proofs.leaf_index", ">=", "anchors.first_leaf")
        .onRef("proofs.leaf_index", "<=", "anchors.last_leaf"),
    )
    .leftJoin("proof_labels", "proof_labels.id", "proofs.label_id")
    .select([
      "proofs.sequence",
      "proofs.leaf_index",
      "proofs.document_id",
      "proofs.timestamp",
      "proofs.hash",
      "proof_labels.text as label",
    ])
    .where("anchors.batch_id", "=", batch)
    .where("proofs.shares_leaf", "=", 0)
    .orderBy("proofs.sequence");
}
