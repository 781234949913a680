import type { Database } from "../engine/database.ts";
import { decodeEntry, type JournalEntry } from "./codec.ts";
import { LabelCache } from "./proof-labels.ts";

/** An entry and the stored part of its digest. */
export interface StoredEntry {
  readonly entry: JournalEntry;
  /** The whole digest, or its first bytes. */
  readonly link: Uint8Array;
  /** Whether it is a proof that shares the leaf of an earlier one. */
  readonly sharesLeaf: boolean;
}

/** Reads entries in their order. */
export async function readEntries(database: Database, after: number, limit: number): Promise<StoredEntry[]> {
  const [proofs, confirmations, accounts, issuerKeys, notices] = await Promise.all([
    database
      .selectFrom("proofs")
      .leftJoin("proof_labels", "proof_labels.id", "proofs.label_id")
      .selectAll("proofs")
      .select("proof_labels.text as label")
      .where("sequence", ">", after)
      .where("sequence", "<=", after + limit)
      .orderBy("sequence")
      .execute(),
    database
      .selectFrom("confirmations")
      .innerJoin("contracts", "contracts.id", "confirmations.contract_id")
      .selectAll("confirmations")
      .select("contracts.address as contract")
      .where("sequence", ">", after)
      .where("sequence", "<=", after + limit)
      .orderBy("sequence")
      .execute(),
    database
      .selectFrom("accounts")
      .select(["sequence", "address", "keystore", "created_at", "digest"])
      .where("sequence", ">", after)
      .where("sequence", "<=", after + limit)
      .orderBy("sequence")
      .execute(),
    database
      .selectFrom("issuer_keys")
      .selectAll()
      .where("sequence", ">", after)
      .where("sequence", "<=", after + limit)
      .orderBy("sequence")
      .execute(),
    database
      .selectFrom("notices")
      .selectAll()
      .where("sequence", ">", after)
      .where("sequence", "<=", after + limit)
      .orderBy("sequence")
      .execute(),
  ]);
  const labels = new LabelCache();
  const entries: StoredEntry[] = proofs.map((row) => {
    const { type, source } = labels.read(row.label);
    return {
      entry: {
        kind: "proof",
        sequence: row.sequence,
        documentId: row.document_id,
        hash: row.hash,
        timestamp: row.timestamp,
        type,
        source,
        metadata: row.metadata,
        acceptedAt: row.accepted_at,
        batch: row.batch_id,
        leaf: row.leaf_index,
      },
      link: row.link,
      sharesLeaf: row.shares_leaf === 1,
    };
  });
  for (const row of confirmations) {
    entries.push({
      entry: {
        kind: "confirmation",
        sequence: row.sequence,
        anchor: row.anchor_id,
        batch: row.batch_id,
        firstLeaf: row.first_leaf,
        hash: row.hash,
        size: row.size,
        checkpoint: row.checkpoint,
        contract: row.contract,
        transactionHash: row.transaction_hash,
        blockNumber: row.block_number,
        blockHash: row.block_hash,
        blockTime: row.block_time,
        validator: row.validator,
      },
      link: row.digest,
      sharesLeaf: false,
    });
  }
  for (const { sequence, address, keystore, created_at: createdAt, digest } of accounts) {
    entries.push({
      entry: { kind: "account", sequence, address, keystore, createdAt },
      link: digest,
      sharesLeaf: false,
    });
  }
  for (const { public_key: publicKey, statement_key: statementKey, created_at: createdAt, ...row } of issuerKeys) {
    const { sequence, keystore, digest: link } = row;
    entries.push({
      entry: { kind: "issuer_key", sequence, publicKey, statementKey, keystore, createdAt },
      link,
      sharesLeaf: false,
    });
  }
  for (const { sequence, text, digest } of notices) {
    entries.push({ entry: toNotice(sequence, text), link: digest, sharesLeaf: false });
  }
  return entries.length === proofs.length ? entries : entries.sort((a, b) => a.entry.sequence - b.entry.sequence);
}

/** @throws RangeError when the text is not that of an entry with this number */
function toNotice(sequence: number, text: string): JournalEntry {
  try {
    const entry = decodeEntry(text);
    if (entry.sequence === sequence) return entry;
  } catch {
    // Falls through to the error.
  }
  throw new RangeError(`entry ${sequence} of the journal was changed`);
}
