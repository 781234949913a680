// A baseline: the same rows, written as durably to the same database, without any other work. Command line: the
// database's file, rows per commit, warm-up seconds, measured seconds. Writes the rows per second as a line of JSON.
import { randomBytes, randomInt } from "node:crypto";
import { insertBatchRows } from "../../server/journal/entries/batch-rows.ts";
import { encodeEntry, type ProofEntry } from "../../server/journal/entries/codec.ts";
import { insertRow } from "../../server/journal/entries/journal-rows.ts";
import { GENESIS } from "../../server/journal/integrity/entry-chain.ts";
import { JournalKey, useJournalKey } from "../../server/journal/integrity/journal-key.ts";
import { KEY_RANGE } from "../../server/journal/index/proof-key.ts";
import { mergeRecentKeys } from "../../server/journal/index/key-merge.ts";
import { openSqlite } from "../../server/journal/engine/sqlite.ts";
import { Documents } from "../load/documents.ts";

const [file = "", size = "", warmUp = "", counted = ""] = process.argv.slice(2);
const groupSize = Number(size);
const database = await openSqlite(file);
useJournalKey(database, JournalKey.generate());
const documents = new Documents();
let sequence = 0;

/** Writes a group like a confirmed batch of the pipeline: a transaction, its anchor, and the proofs. */
async function insertGroup(): Promise<void> {
  const now = Date.now();
  await database.transaction().execute(async (transaction) => {
    const { id: transactionId } = await transaction
      .insertInto("transactions")
      .values({
        purpose: "anchor",
        to_address: `0x${"00".repeat(20)}`,
        state: "confirmed",
        created_at: now,
        hash: randomBytes(32),
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const { id: anchorId } = await transaction
      .insertInto("anchors")
      .values({
        batch_id: transactionId,
        first_leaf: 0,
        last_leaf: groupSize - 1,
        hash: randomBytes(32),
        size: groupSize,
        transaction_id: transactionId,
        relayer: "",
        opened_at: now,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const first = sequence + 1;
    const proofs = Array.from({ length: groupSize }, (_, leaf): ProofEntry => {
      const { document_id: documentId, hash, metadata } = documents.next();
      const facts = { type: null, source: null, metadata: null, acceptedAt: now, batch: anchorId, leaf };
      const { timestamp } = metadata;
      return { sequence: (sequence += 1), documentId, hash: Buffer.from(hash, "hex"), timestamp, ...facts };
    });
    const keys = proofs.flatMap((proof) =>
      Array.from({ length: 3 }, () => ({ key: randomInt(KEY_RANGE), sequence: proof.sequence })),
    );
    const texts = proofs.map((proof) => encodeEntry({ kind: "proof", ...proof }));
    await insertRow(
      transaction,
      { ...GENESIS, sequence: first - 1 },
      { digest: randomBytes(32), proofs: sequence },
      texts,
    );
    await insertBatchRows(transaction, first, proofs);
    await transaction.insertInto("proof_keys_recent").values(keys).execute();
    await mergeRecentKeys(transaction, sequence - groupSize, sequence);
  });
}

async function rowsWithin(seconds: number): Promise<number> {
  const start = performance.now();
  let rows = 0;
  for (; performance.now() - start < seconds * 1000; rows += groupSize) await insertGroup();
  return rows / ((performance.now() - start) / 1000);
}

await rowsWithin(Number(warmUp));
console.log(JSON.stringify({ perSecond: await rowsWithin(Number(counted)) }));
await database.destroy();
