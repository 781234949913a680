import { EntryVerifier } from "../../server/journal/entries/verified-entries.ts";
import { hash as digest, randomBytes } from "node:crypto";
import type { NewProof } from "../../server/proofs/proof.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { anchorStore } from "../../server/proofs/anchor-store.ts";
import { confirmAnchors } from "../../server/journal/entries/confirmations.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { createJournal } from "../../server/composition/journal.ts";
import { KEY } from "./journal-key.ts";

/** Proofs under a root. */
export const BATCH_SIZE = 1_000;
/** Batches per transaction. The cost of a commit is not measured here. */
const BATCHES_AT_ONCE = 10;
const ADDRESS = `0x${"5e".repeat(20)}`;
const CONTRACTS = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };
/** Size of an anchoring call. */
const CALL_BYTES = 68;
const SIGNED_BYTES = 170;
const START = Date.UTC(2026, 0);
/** At 100 proofs a second. */
const MILLISECONDS_A_PROOF = 10;

/** The journal that the benchmark fills and queries. */
export type BenchJournal = ReturnType<typeof createJournal>;

export function journalOver(database: Database): BenchJournal {
  return createJournal(database, KEY, CONTRACTS);
}

/** Returns the proof with a number, from 0. It is deterministic, so that no proof is stored. */
export function proofNumber(number: number): NewProof {
  const hash = digest("sha256", `content ${number}`, "buffer");
  const acceptedAt = START + number * MILLISECONDS_A_PROOF;
  const parts = { documentId: `document-${number}`, hash, timestamp: Math.floor(acceptedAt / 1000), type: "log" };
  const { documentId, timestamp, type } = parts;
  return {
    documentId,
    hash,
    recordHash: recordHash(parts),
    metadata: { timestamp, type, source: "bench" },
    acceptedAt,
  };
}

/** Returns the root of the batch with a number. */
export function rootOf(batch: number): Uint8Array {
  return digest("sha256", `root ${batch}`, "buffer");
}

/** Returns the hash of the transaction of the batch with a number. */
export function transactionOf(batch: number): Uint8Array {
  return digest("sha256", `transaction ${batch}`, "buffer");
}

/** Writes confirmed batches through the journal's stores, as the pipeline does. */
export async function fillJournal(
  database: Database,
  batches: number,
  onBatch: (batch: number) => void,
): Promise<void> {
  for (let batch = 0; batch < batches; batch += BATCHES_AT_ONCE) {
    await database.transaction().execute(async (transaction) => {
      for (let index = batch; index < Math.min(batches, batch + BATCHES_AT_ONCE); index += 1)
        await addBatch(transaction, index);
    });
    onBatch(batch);
  }
}

async function addBatch(transaction: Database, batch: number): Promise<void> {
  const proofs = Array.from({ length: BATCH_SIZE }, (_, index) => proofNumber(batch * BATCH_SIZE + index));
  const time = proofs[0]?.acceptedAt ?? 0;
  const anchors = anchorStore(transaction, KEY, new EntryVerifier({ database: transaction, key: KEY }));
  const anchorId = await anchors.open(time);
  const leaves = proofs.map((proof, leafIndex) => ({ ...proof, anchorId, leafIndex }));
  await journalOver(transaction).proofs.insert(leaves);
  const block = { number: batch, hash: randomBytes(32), time: Math.floor(time / 1000), validator: ADDRESS };
  const { id: transactionId } = await transaction
    .insertInto("transactions")
    .values({
      purpose: "anchor",
      to_address: ADDRESS,
      state: "confirmed",
      sender: ADDRESS,
      nonce: batch,
      raw: randomBytes(SIGNED_BYTES),
      hash: transactionOf(batch),
      block_number: block.number,
      block_hash: block.hash,
      block_time: block.time,
      validator: block.validator,
      created_at: time,
      outcome_at: time,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await anchors.close(anchorId, { hash: rootOf(batch), size: BATCH_SIZE, transactionId });
  const anchored = { hash: rootOf(batch), size: BATCH_SIZE, contract: ADDRESS };
  await confirmAnchors(transaction, KEY, new Map([[transactionId, { hash: transactionOf(batch), block, anchored }]]));
}

/** Accepts a batch like a bulk request: looks up its records and commits. */
export async function acceptBatch(journal: BenchJournal, batch: number): Promise<void> {
  const proofs = Array.from({ length: BATCH_SIZE }, (_, index) => proofNumber(batch * BATCH_SIZE + index));
  await journal.atomically(async ({ proofs: store, anchors, intents }) => {
    await store.byRecordHashes(proofs.map((proof) => proof.recordHash));
    const anchorId = await anchors.open(proofs[0]?.acceptedAt ?? 0);
    await store.insert(proofs.map((proof, leafIndex) => ({ ...proof, anchorId, leafIndex })));
    const transactionId = await intents.insert({
      purpose: "anchor",
      contract: "ProofAnchor",
      data: randomBytes(CALL_BYTES),
    });
    await anchors.close(anchorId, { hash: rootOf(batch), size: BATCH_SIZE, transactionId });
  });
}
