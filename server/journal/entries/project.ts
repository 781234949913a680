import type { Database } from "../engine/database.ts";
import { insertKeys } from "../index/proof-index.ts";
import type {
  AccountEntry,
  ConfirmationEntry,
  IssuerKeyEntry,
  JournalEntry,
  ProofEntry,
  StoreEntry,
  VerificationEntry,
} from "./codec.ts";

/**
 * Writes what entries are found by: it is the only code that does. Runs inside the transaction that appends the
 * entries.
 * @param entries In order
 * @param before The newest entry before them
 */
export async function project(transaction: Database, entries: readonly JournalEntry[], before: number): Promise<void> {
  const proofs = entries.filter((entry) => entry.kind === "proof");
  await insertKeys(transaction, proofs, before, before + entries.length);
  await growAnchors(transaction, proofs);
  for (const entry of entries) await projectOne(transaction, entry);
}

/** Counts the leaves of open anchors. */
async function growAnchors(transaction: Database, proofs: readonly ProofEntry[]): Promise<void> {
  for (const [anchor, own] of Map.groupBy(proofs, (proof) => proof.anchor)) {
    const size = own.reduce((most, { leaf }) => Math.max(most, leaf + 1), 0);
    await transaction
      .updateTable("anchors")
      .set({ size })
      .where("id", "=", anchor)
      .where("hash", "is", null)
      .where("size", "<", size)
      .execute();
  }
}

async function projectOne(transaction: Database, entry: JournalEntry): Promise<void> {
  switch (entry.kind) {
    case "proof":
      return;
    case "store":
      return insertStore(transaction, entry);
    case "confirmation":
      return insertConfirmation(transaction, entry);
    case "account":
      return insertAccount(transaction, entry);
    case "issuer_key":
      return insertIssuerKey(transaction, entry);
    case "verification":
      return insertVerification(transaction, entry);
    case "resolution":
      await transaction.insertInto("resolutions").values({ sequence: entry.sequence }).execute();
  }
}

async function insertConfirmation(transaction: Database, entry: ConfirmationEntry): Promise<void> {
  await transaction
    .insertInto("confirmations")
    .values({
      sequence: entry.sequence,
      anchor_id: entry.anchor,
      hash: entry.hash,
      size: entry.size,
      checkpoint: entry.checkpoint,
      contract: entry.contract,
      transaction_hash: entry.tx_hash,
      block_number: entry.block_number,
      block_hash: entry.block_hash,
      block_time: entry.block_time,
      validator: entry.validator,
    })
    .execute();
  await transaction
    .updateTable("anchors")
    .set({ confirmation: entry.sequence })
    .where("id", "=", entry.anchor)
    .execute();
}

/** The role of an account is on chain: the event indexer copies it. */
async function insertAccount(transaction: Database, entry: AccountEntry): Promise<void> {
  await transaction
    .insertInto("accounts")
    .values({
      address: entry.address,
      keystore: entry.keystore,
      scope: "read",
      enrolled: 0,
      created_at: entry.created_at,
      revoked_at: null,
      sequence: entry.sequence,
    })
    .execute();
}

async function insertStore(transaction: Database, { kind: _, ...entry }: StoreEntry): Promise<void> {
  await transaction
    .insertInto("stores")
    .values({ ...entry, transaction_id: null })
    .execute();
}

async function insertIssuerKey(transaction: Database, entry: IssuerKeyEntry): Promise<void> {
  await transaction
    .insertInto("issuer_keys")
    .values({
      sequence: entry.sequence,
      public_key: entry.public_key,
      keystore: entry.keystore,
      created_at: entry.created_at,
    })
    .execute();
}

async function insertVerification(
  transaction: Database,
  { id, sequence, finished_at }: VerificationEntry,
): Promise<void> {
  await transaction
    .insertInto("recovery_verifications")
    .values({ id, sequence, started_at: finished_at })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ sequence }))
    .execute();
}
