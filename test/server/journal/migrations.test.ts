import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { Kysely } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { recordHash } from "../../../server/domain/proofs/record-hash.ts";
import { openDatabase } from "../../../server/journal/database.ts";
import { createJournal } from "../../../server/journal/journal.ts";
import { initial } from "../../../server/journal/migrations/0001-initial.ts";
import { batches } from "../../../server/journal/migrations/0002-batches.ts";
import { sqliteDialect } from "../../../server/journal/sqlite.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { assertChained } from "../../support/journal-chain.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };
const hashOf = (n: number) => Buffer.alloc(32, n);
const proofOf = (n: number) => {
  const parts = { documentId: `doc ${n}`, hash: hashOf(n), timestamp: 1 };
  return { ...parts, recordHash: recordHash({ ...parts, type: n % 2 === 0 ? "log" : "" }) };
};

describe("a journal of an earlier version", function () {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = join(directory, "old.sqlite");
  });
  afterEach(() => removeDirectory(directory));

  /** Makes a journal by the migrations of its time, and fills it. */
  const old = async (migrations: Record<string, Migration>, fill: (raw: DatabaseSync) => void): Promise<void> => {
    const database = new Kysely<unknown>({ dialect: sqliteDialect(file) });
    const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
    assert.isUndefined((await migrator.migrateToLatest()).error);
    await database.destroy();
    const raw = new DatabaseSync(file);
    fill(raw);
    raw.close();
  };

  const addTransaction = (raw: DatabaseSync, id: number, isConfirmed: boolean): void => {
    const mined = isConfirmed ? [ADDRESS, id, hashOf(id), 5, hashOf(id), 77] : [null, null, null, null, null, null];
    raw
      .prepare("insert into transactions (id, purpose, to_address, state, sender, nonce, hash, block_number, block_hash, block_time, validator, created_at) values (?, 'anchor', ?, ?, ?, ?, ?, ?, ?, ?, 'v', 1000)")
      .run(id, ADDRESS, isConfirmed ? "confirmed" : "queued", ...mined);
  };
  const addAccount = (raw: DatabaseSync): void => {
    raw.prepare("insert into accounts (address, keystore, scope, enrolled, created_at) values (?, '{}', 'full', 1, 9)").run(ADDRESS);
  };

  it("the first, keeps every proof, confirmed or not, and takes new ones", async () => {
    const proofs = [1, 2].map(proofOf);
    await old({ "0001-initial": initial }, (raw) => {
      addAccount(raw);
      for (const [index, { documentId, hash, recordHash: recorded }] of proofs.entries()) {
        const id = index + 1;
        addTransaction(raw, id, index === 0);
        raw.prepare("insert into anchors (id, hash, size, transaction_id) values (?, ?, 0, ?)").run(id, recorded, id);
        raw
          .prepare("insert into proofs (document_id, hash, record_hash, timestamp, type, accepted_at, anchor_id) values (?, ?, ?, 1, ?, 2, ?)")
          .run(documentId, hash, recorded, id % 2 === 0 ? "log" : null, id);
      }
    });

    const database = await openDatabase(sqliteDialect(file));
    const journal = createJournal(database, ADDRESSES, ADDRESS);
    const found = await journal.proofs.byRecordHashes(proofs.map((proof) => proof.recordHash));
    assert.deepEqual(found.map(({ documentId, leafIndex, outcome }) => [documentId, leafIndex, outcome.state]), [["doc 1", 0, "confirmed"], ["doc 2", 0, "pending"]]);
    assert.deepEqual(await journal.proofs.counts(), { records: 2, pending: 1 });
    assert.equal(await journal.anchors.oldestUnconfirmed(), 1000);
    assert.deepInclude(await journal.accounts.find(ADDRESS), { keystore: "{}", scope: "full", enrolled: true, createdAt: 9 });
    const anchorId = await journal.anchors.open(5);
    assert.equal(anchorId, 3);
    await journal.proofs.insert([{ ...proofOf(3), metadata: { timestamp: 1 }, acceptedAt: 3, anchorId, leafIndex: 0, isAlike: false }]);
    assert.deepEqual(await journal.proofs.counts(), { records: 3, pending: 2 });
    assert.deepEqual((await journal.proofs.byDocument("doc 3")).map(({ outcome }) => outcome.state), ["pending"]);
    // Two proofs and what confirms one, an account, and the new proof.
    assert.equal(await assertChained(database), 5);
    await database.destroy();
  });

  it("the second, keeps batches with their places, open ones and proofs that share a place", async () => {
    const confirmed = [1, 2, 3].map(proofOf);
    const open = [4, 5].map(proofOf);
    await old({ "0001-initial": initial, "0002-batches": batches }, (raw) => {
      addTransaction(raw, 1, true);
      raw.prepare("insert into anchors (id, hash, size, transaction_id, relayer, opened_at) values (1, ?, 3, 1, ?, 500)").run(hashOf(9), ADDRESS);
      raw.prepare("insert into anchors (id, hash, size, transaction_id, relayer, opened_at) values (2, null, 0, null, ?, 600)").run(ADDRESS);
      const add = (anchor: number, leaf: number, { documentId, hash, recordHash: recorded }: ReturnType<typeof proofOf>, type: string | null) =>
        raw
          .prepare("insert into proofs (document_id, hash, record_hash, timestamp, type, source, metadata, accepted_at, anchor_id, leaf_index) values (?, ?, ?, 1, ?, ?, ?, 2, ?, ?)")
          .run(documentId, hash, recorded, type, leaf === 1 ? "billing" : null, leaf === 2 ? '{"pages":3}' : null, anchor, leaf);
      for (const [leaf, proof] of confirmed.entries()) add(1, leaf, proof, (leaf + 1) % 2 === 0 ? "log" : null);
      for (const [leaf, proof] of open.entries()) add(2, leaf, proof, leaf === 0 ? "log" : null);
      // "doc 1" recorded at 1 reads like "doc " recorded at 11.
      const { hash, recordHash: recorded } = proofOf(1);
      raw.prepare("insert into proofs (document_id, hash, record_hash, timestamp, accepted_at, anchor_id, leaf_index) values ('doc ', ?, ?, 11, 2, 1, 0)").run(hash, recorded);
    });

    const database = await openDatabase(sqliteDialect(file));
    const journal = createJournal(database, ADDRESSES, ADDRESS);
    assert.deepEqual((await journal.anchors.leaves(1)).map((leaf) => Buffer.from(leaf)), confirmed.map((proof) => Buffer.from(proof.recordHash)));
    assert.deepEqual((await journal.anchors.leaves(2)).map((leaf) => Buffer.from(leaf)), open.map((proof) => Buffer.from(proof.recordHash)));
    assert.deepEqual((await journal.proofs.byAnchor(1, 0, 10)).map(({ documentId, leafIndex }) => [documentId, leafIndex]), [["doc 1", 0], ["doc ", 0], ["doc 2", 1], ["doc 3", 2]]);
    assert.deepEqual((await journal.proofs.byHash(hashOf(1))).map(({ documentId }) => documentId), ["doc 1", "doc "]);
    const [second] = await journal.proofs.byDocument("doc 2");
    assert.deepEqual(second?.metadata, { type: "log", timestamp: 1, source: "billing" });
    const [third] = await journal.proofs.byDocument("doc 3");
    assert.deepEqual(third?.metadata, { timestamp: 1, pages: 3 });
    assert.equal(third?.outcome.state, "confirmed");
    assert.deepInclude(await journal.anchors.byTransaction(hashOf(1)), { id: 1, size: 3, transactionId: 1 });
    assert.deepEqual(await journal.anchors.leftOpen(0), [2]);
    assert.deepEqual(await journal.proofs.counts(), { records: 6, pending: 2 });
    assert.equal(await assertChained(database), 7);
    await database.destroy();
  });
});
