import { minedAs } from "../../test/support/mined.ts";
import { randomBytes } from "node:crypto";
import type { Journal } from "../../server/composition/journal.ts";
import { contentOver } from "../../server/journal/integrity/stored-anchor.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { createJournal } from "../../server/composition/journal.ts";
import { transactionStore } from "../../server/journal/transactions/transaction-store.ts";
import { Documents } from "./documents.ts";
import { KEY } from "./journal-key.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const MAX_IN_FLIGHT = 64;

/** Writes confirmed proofs through the stores of the server, without a server and a chain. */
export async function fillJournal(
  database: Database,
  { proofs, batchSize }: { readonly proofs: number; readonly batchSize: number },
  onProgress: (done: number) => void,
): Promise<void> {
  const journal = createJournal(database, KEY, {
    SessionRegistry: ADDRESS,
    EventTable: ADDRESS,
    ProofAnchor: ADDRESS,
  });
  const transactions = transactionStore(database, KEY);
  const documents = new Documents();
  for (let done = 0, block = 1; done < proofs; done += batchSize, block += 1) {
    const size = Math.min(batchSize, proofs - done);
    const id = await journal.atomically((atomic) => writeBatch(atomic, documents, size));
    const queued = await transactions.queued(MAX_IN_FLIGHT);
    const [signed] = await transactions.claim(
      ADDRESS,
      queued.map((each, index) => ({ id: each.id, nonce: block + index, raw: randomBytes(9), hash: randomBytes(32) })),
    );
    if (signed?.id !== id) throw new Error(`transaction ${id} was not signed`);
    await transactions.recordOutcomes([
      {
        id,
        state: "confirmed",
        ...(await minedAs(database, id)),
        block: { number: block, hash: randomBytes(32), time: 1_700_000_000 + block, validator: "bench" },
      },
    ]);
    onProgress(done + size);
  }
}

/**
 * Writes a batch.
 * @returns the id of the transaction that anchors it
 */
async function writeBatch({ anchors, proofs, intents }: Journal, documents: Documents, size: number): Promise<number> {
  const acceptedAt = Date.now();
  const anchorId = await anchors.open(acceptedAt);
  const leaves = Array.from({ length: size }, (_, leafIndex) => {
    const { document_id: documentId, hash: hex, metadata } = documents.next();
    const hash = Buffer.from(hex, "hex");
    const recorded = recordHash({ documentId, hash, ...metadata });
    return { documentId, hash, recordHash: recorded, metadata, acceptedAt, anchorId, leafIndex };
  });
  await proofs.insert(leaves);
  const { content } = contentOver(
    leaves.map((proof) => proof.recordHash),
    true,
  );
  const transactionId = await intents.insert({ purpose: "anchor", contract: "ProofAnchor", data: content.hash });
  await anchors.close(anchorId, { ...content, transactionId });
  return transactionId;
}
