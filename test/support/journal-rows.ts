import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { decodeLabel } from "../../server/journal/entries/proof-labels.ts";

/** Selects the proofs of a journal, without the server. */
export const PROOFS = `select proofs.sequence, document_id, timestamp, proofs.hash, proof_labels.text as label,
    anchors.id as anchor, leaf_index - first_leaf as place, transactions.state
  from proofs
  join anchors on anchors.batch_id = proofs.batch_id and leaf_index between first_leaf and last_leaf
  left join proof_labels on proof_labels.id = label_id
  left join transactions on transactions.id = transaction_id
  order by proofs.sequence`;

/** One engine returns large integers as text. */
const whole = z.coerce.number();

const Row = z.object({
  sequence: whole,
  document_id: z.string(),
  timestamp: whole,
  hash: z.instanceof(Uint8Array),
  label: z.string().nullable(),
  anchor: whole,
  place: whole,
  state: z.string().nullable(),
});

/** A stored proof, with the recorded hash computed from it. */
export type ProofOnDisk = z.infer<typeof Row> & { readonly recordHash: Uint8Array };

/** Parses the result of {@link PROOFS}. */
export function proofsIn(rows: readonly Record<string, unknown>[]): ProofOnDisk[] {
  return rows.map((raw) => {
    const row = Row.parse(raw);
    const type = decodeLabel(row.label).type ?? "";
    return {
      ...row,
      recordHash: recordHash({ documentId: row.document_id, timestamp: row.timestamp, type, hash: row.hash }),
    };
  });
}

export function proofsOnDisk(database: DatabaseSync): ProofOnDisk[] {
  return proofsIn(database.prepare(PROOFS).all());
}
