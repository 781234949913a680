import { assert } from "chai";
import { Kysely, sql } from "kysely";
import { Migrator } from "kysely/migration";
import { openDatabase } from "../../../server/journal/database.ts";
import { createJournal } from "../../../server/journal/journal.ts";
import { initial } from "../../../server/journal/migrations/0001-initial.ts";
import { emptyDatabase, ENGINES } from "../../support/database.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };

for (const engine of ENGINES) describe(`a journal of the first version, on ${engine}`, function () {
  let empty: EngineDatabase;
  beforeEach(async () => {
    empty = await emptyDatabase(engine);
  });
  afterEach(() => empty.remove());

  it("keeps every proof, confirmed or not, and takes new ones", async () => {
    const old = new Kysely<unknown>({ dialect: empty.connect() });
    const migrator = new Migrator({ db: old, provider: { getMigrations: async () => ({ "0001-initial": initial }) } });
    assert.isUndefined((await migrator.migrateToLatest()).error);
    const hashes = [1, 2].map((n) => Buffer.alloc(32, n));
    for (const [n, hash] of hashes.entries()) {
      const id = n + 1;
      const [state, sender, nonce, mined, block, time] = n === 0 ? ["confirmed", ADDRESS, 0, hash, 5, 77] : ["queued", null, null, null, null, null];
      await sql`insert into transactions (id, purpose, to_address, state, sender, nonce, hash, block_number, block_hash, block_time, validator, created_at)
        values (${id}, 'anchor', ${ADDRESS}, ${state}, ${sender}, ${nonce}, ${mined}, ${block}, ${mined}, ${time}, 'v', 1000)`.execute(old);
      await sql`insert into anchors (id, hash, size, transaction_id) values (${id}, ${hash}, 0, ${id})`.execute(old);
      await sql`insert into proofs (document_id, hash, record_hash, timestamp, accepted_at, anchor_id)
        values (${`doc ${id}`}, ${hash}, ${hash}, 1, 2, ${id})`.execute(old);
    }
    await old.destroy();

    const database = await openDatabase(empty.connect());
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

describe("an empty database", function () {
  it("is set up once by several processes that start on it at the same time", async () => {
    for (let round = 0; round < 5; round += 1) {
      const empty = await emptyDatabase("postgres");
      const opened = await Promise.all([1, 2, 3].map(() => openDatabase(empty.connect())));
      for (const database of opened) {
        assert.equal(await createJournal(database, ADDRESSES, ADDRESS).records.count(), 0);
        await database.destroy();
      }
      await empty.remove();
    }
  });
});
