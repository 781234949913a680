import { KEY } from "../../../support/journal-key.ts";
import { assert } from "chai";
import { Kysely, sql } from "kysely";
import { recordHash } from "../../../../server/journal/integrity/record-hash.ts";
import { openDatabase } from "../../../../server/journal/engine/database.ts";
import { createJournal } from "../../../../server/composition/journal.ts";
import { emptyDatabase, ENGINES } from "../../../support/database.ts";
import type { EngineDatabase } from "../../../support/engine-database.ts";
import { assertChained } from "../../../support/journal-chain.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };
const hashOf = (n: number) => Buffer.alloc(32, n);
const proofOf = (n: number) => {
  const parts = { documentId: `doc ${n}`, hash: hashOf(n), timestamp: 1 };
  return { ...parts, recordHash: recordHash({ ...parts, type: "" }) };
};
const placed = (n: number, anchorId: number, leafIndex: number) => ({
  ...proofOf(n),
  metadata: { timestamp: 1 },
  acceptedAt: 3,
  anchorId,
  leafIndex,
});

for (const engine of ENGINES)
  describe(`an empty database, on ${engine}`, function () {
    let empty: EngineDatabase;
    beforeEach(async () => {
      empty = await emptyDatabase(engine);
    });
    afterEach(() => empty.remove());

    /** Opens the database, with the tables of this version. */
    const opened = async (
      work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<void>,
    ): Promise<void> => {
      const database = await openDatabase(empty.connect());
      await work(database).finally(() => database.destroy());
    };

    it("gets the complete schema for proofs, confirmations and accounts", () =>
      opened(async (database) => {
        const journal = createJournal(database, KEY, ADDRESSES);
        assert.deepEqual(await journal.proofs.counts(), { records: 0, pending: 0 });
        assert.equal(await journal.records.count(), 0);
        assert.isUndefined(await journal.accounts.find(ADDRESS));
        assert.isUndefined(await journal.anchors.oldestUnconfirmed());
        assert.equal(await journal.anchors.open(5), 1);
        await journal.proofs.insert([placed(1, 1, 0), placed(2, 1, 1)]);
        assert.deepEqual(await journal.proofs.counts(), { records: 2, pending: 2 });
        assert.equal(await assertChained(database), 2);
      }));

    it("keeps every proof and every number after a restart", async () => {
      await opened(async (database) => {
        const journal = createJournal(database, KEY, ADDRESSES);
        await journal.anchors.open(5);
        await journal.proofs.insert([placed(1, 1, 0), placed(2, 1, 1)]);
      });
      await opened(async (database) => {
        const journal = createJournal(database, KEY, ADDRESSES);
        assert.deepEqual(await journal.anchors.leftOpen(), [1]);
        assert.deepEqual(
          (await journal.anchors.leaves(1)).map((leaf) => Buffer.from(leaf)),
          [1, 2].map((n) => Buffer.from(proofOf(n).recordHash)),
        );
        assert.deepEqual(
          (await journal.proofs.byDocument("doc 2")).map(({ leafIndex, outcome }) => [leafIndex, outcome.state]),
          [[1, "pending"]],
        );
        assert.equal(await journal.anchors.open(6), 2);
        await journal.proofs.insert([placed(3, 2, 0)]);
        assert.equal(await assertChained(database), 3);
      });
    });

    it("is rejected with the tables of another version", async () => {
      await opened(async () => undefined);
      const newer = new Kysely<unknown>({ dialect: empty.connect() });
      await sql`update schema_version set version = 7`.execute(newer);
      await newer.destroy();
      const failure = await openDatabase(empty.connect()).then(() => "opened", String);
      assert.match(failure, /its tables are of version 7, and this program has version 1/);
    });

    it("is rejected with tables from before they had versions", async () => {
      const older = new Kysely<unknown>({ dialect: empty.connect() });
      await sql`create table entries (sequence integer)`.execute(older);
      await older.destroy();
      const failure = await openDatabase(empty.connect()).then(() => "opened", String);
      assert.match(failure, /its tables are of version 0, and this program has version 1/);
    });

    it("is opened while another process writes", async () => {
      await opened(async (first) => {
        await first.transaction().execute(async (transaction) => {
          await sql`select 1`.execute(transaction);
          const second = await openDatabase(empty.connect());
          await second.destroy();
        });
      });
    });
  });

describe("an empty database", function () {
  it("is initialised once by several simultaneous processes", async () => {
    for (let round = 0; round < 5; round += 1) {
      const empty = await emptyDatabase("postgres");
      const opened = await Promise.all([1, 2, 3].map(() => openDatabase(empty.connect())));
      for (const database of opened) {
        assert.equal(await createJournal(database, KEY, ADDRESSES).records.count(), 0);
        await database.destroy();
      }
      await empty.remove();
    }
  });
});
