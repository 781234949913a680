import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { openDatabase } from "../../../server/journal/database.ts";
import { createJournal } from "../../../server/journal/journal.ts";
import { initial } from "../../../server/journal/migrations/0001-initial.ts";
import { sqliteDialect } from "../../../server/journal/sqlite.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };

describe("a journal of the first version", function () {
  let directory: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => removeDirectory(directory));

  it("keeps every proof, confirmed or not, and takes new ones", async () => {
    const file = join(directory, "old.sqlite");
    const old = new Kysely<unknown>({ dialect: sqliteDialect(file) });
    const migrator = new Migrator({ db: old, provider: { getMigrations: async () => ({ "0001-initial": initial }) } });
    assert.isUndefined((await migrator.migrateToLatest()).error);
    await old.destroy();
    const raw = new DatabaseSync(file);
    const hashes = [1, 2].map((n) => Buffer.alloc(32, n));
    for (const [n, hash] of hashes.entries()) {
      const id = n + 1;
      raw.prepare("insert into transactions (id, purpose, to_address, state, sender, nonce, hash, block_number, block_hash, block_time, validator, created_at) values (?, 'anchor', ?, ?, ?, ?, ?, ?, ?, ?, 'v', 1000)")
        .run(id, ADDRESS, n === 0 ? "confirmed" : "queued", n === 0 ? ADDRESS : null, n === 0 ? 0 : null, n === 0 ? hash : null, ...(n === 0 ? [5, hash, 77] : [null, null, null]));
      raw.prepare("insert into anchors (id, hash, size, transaction_id) values (?, ?, 0, ?)").run(id, hash, id);
      raw.prepare("insert into proofs (document_id, hash, record_hash, timestamp, accepted_at, anchor_id) values (?, ?, ?, 1, 2, ?)").run(`doc ${id}`, hash, hash, id);
    }
    raw.close();

    const database = await openDatabase(sqliteDialect(file));
    const journal = createJournal(database, ADDRESSES, ADDRESS);
    const found = await journal.proofs.byRecordHashes(hashes);
    assert.deepEqual(found.map(({ documentId, leafIndex, outcome }) => [documentId, leafIndex, outcome.state]), [["doc 1", 0, "confirmed"], ["doc 2", 0, "pending"]]);
    assert.deepEqual(await journal.proofs.counts(), { records: 2, pending: 1 });
    assert.equal(await journal.anchors.oldestUnconfirmed(), 1000);
    const anchorId = await journal.anchors.open(5);
    assert.equal(anchorId, 3);
    await journal.proofs.insert([{ documentId: "doc 3", hash: Buffer.alloc(32, 3), recordHash: Buffer.alloc(32, 3), metadata: { timestamp: 1 }, acceptedAt: 3, anchorId, leafIndex: 0 }]);
    assert.deepEqual(await journal.proofs.counts(), { records: 3, pending: 2 });
    assert.deepEqual((await journal.proofs.byDocument("doc 3")).map(({ outcome }) => outcome.state), ["pending"]);
    await database.destroy();
  });
});
