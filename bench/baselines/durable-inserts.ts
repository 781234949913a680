// A baseline: the same rows, written as durably to the same database, without any other work. Command line: the
// database's file, rows per commit, warm-up seconds, measured seconds. Writes the rows per second as a line of JSON.
import { randomBytes, randomInt } from "node:crypto";
import { KEY_RANGE } from "../../server/journal/index/proof-key.ts";
import { mergeRecentKeys } from "../../server/journal/index/key-merge.ts";
import { openSqlite } from "../../server/journal/engine/sqlite.ts";
import { Documents } from "../load/documents.ts";

const [file = "", size = "", warmUp = "", counted = ""] = process.argv.slice(2);
const groupSize = Number(size);
const database = await openSqlite(file);
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
        first_sequence: sequence + 1,
        last_sequence: sequence + groupSize,
        hash: randomBytes(32),
        size: groupSize,
        transaction_id: transactionId,
        relayer: "",
        opened_at: now,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: groupSize }, (_, leafIndex) => {
      const { document_id, hash, metadata } = documents.next();
      const { timestamp } = metadata;
      const facts = {
        sequence: (sequence += 1),
        document_id,
        hash: Buffer.from(hash, "hex"),
        timestamp,
        label_id: null,
      };
      return {
        ...facts,
        metadata: null,
        accepted_at: now,
        batch_id: anchorId,
        leaf_index: leafIndex,
        shares_leaf: 0 as const,
        link: randomBytes(4),
      };
    });
    const keys = rows.flatMap((row) =>
      Array.from({ length: 3 }, () => ({ key: randomInt(KEY_RANGE), sequence: row.sequence })),
    );
    await transaction.insertInto("proofs").values(rows).execute();
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
