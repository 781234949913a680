import { assert } from "chai";
import { Kysely, type RawBuilder, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { recordHash } from "../../../../server/journal/integrity/record-hash.ts";
import { openDatabase } from "../../../../server/journal/engine/database.ts";
import { createJournal } from "../../../../server/composition/journal.ts";
import { initial } from "../../../../server/journal/engine/migrations/0001-initial.ts";
import { batches } from "../../../../server/journal/engine/migrations/0002-batches.ts";
import { emptyDatabase, ENGINES } from "../../../support/database.ts";
import type { EngineDatabase } from "../../../support/engine-database.ts";
import { assertChained } from "../../../support/journal-chain.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };
const hashOf = (n: number) => Buffer.alloc(32, n);
const proofOf = (n: number) => {
  const parts = { documentId: `doc ${n}`, hash: hashOf(n), timestamp: 1 };
  return { ...parts, recordHash: recordHash({ ...parts, type: n % 2 === 0 ? "log" : "" }) };
};

for (const engine of ENGINES)
  describe(`a journal of an earlier version, on ${engine}`, function () {
    let empty: EngineDatabase;
    beforeEach(async () => {
      empty = await emptyDatabase(engine);
    });
    afterEach(() => empty.remove());

    /** Makes a journal by the migrations of its time, and fills it. */
    const old = async (
      migrations: Record<string, Migration>,
      fill: (run: (statement: RawBuilder<unknown>) => Promise<unknown>) => Promise<void>,
    ): Promise<void> => {
      const database = new Kysely<unknown>({ dialect: empty.connect() });
      const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
      assert.isUndefined((await migrator.migrateToLatest()).error);
      await fill((statement) => statement.execute(database));
      await database.destroy();
    };

    const transaction = (id: number, isConfirmed: boolean): RawBuilder<unknown> => {
      const [sender, nonce, hash, number, time] = isConfirmed
        ? [ADDRESS, id, hashOf(id), 5, 77]
        : [null, null, null, null, null];
      const state = isConfirmed ? "confirmed" : "queued";
      return sql`
        insert into transactions (id, purpose, to_address, state, sender, nonce, hash,
          block_number, block_hash, block_time, validator, created_at)
        values (${id}, 'anchor', ${ADDRESS}, ${state}, ${sender}, ${nonce}, ${hash},
          ${number}, ${hash}, ${time}, 'v', 1000)`;
    };
    const account = sql`
      insert into accounts (address, keystore, scope, enrolled, created_at)
      values (${ADDRESS}, '{}', 'full', 1, 9)`;

    it("the first, keeps every proof, confirmed or not, and takes new ones", async () => {
      const proofs = [1, 2].map(proofOf);
      await old({ "0001-initial": initial }, async (run) => {
        await run(account);
        for (const [index, { documentId, hash, recordHash: recorded }] of proofs.entries()) {
          const id = index + 1;
          await run(transaction(id, index === 0));
          await run(sql`insert into anchors (id, hash, size, transaction_id) values (${id}, ${recorded}, 0, ${id})`);
          await run(sql`insert into proofs (document_id, hash, record_hash, timestamp, type, accepted_at, anchor_id)
          values (${documentId}, ${hash}, ${recorded}, 1, ${id % 2 === 0 ? "log" : null}, 2, ${id})`);
        }
      });

      const database = await openDatabase(empty.connect());
      const journal = createJournal(database, ADDRESSES, ADDRESS);
      const found = await journal.proofs.byRecordHashes(proofs.map((proof) => proof.recordHash));
      assert.deepEqual(
        found.map(({ documentId, leafIndex, outcome }) => [documentId, leafIndex, outcome.state]),
        [
          ["doc 1", 0, "confirmed"],
          ["doc 2", 0, "pending"],
        ],
      );
      assert.deepEqual(await journal.proofs.counts(), { records: 2, pending: 1 });
      assert.equal(await journal.anchors.oldestUnconfirmed(), 1000);
      assert.deepInclude(await journal.accounts.find(ADDRESS), {
        keystore: "{}",
        scope: "full",
        enrolled: true,
        createdAt: 9,
      });
      const anchorId = await journal.anchors.open(5);
      assert.equal(anchorId, 3);
      await journal.proofs.insert([
        { ...proofOf(3), metadata: { timestamp: 1 }, acceptedAt: 3, anchorId, leafIndex: 0, isAlike: false },
      ]);
      assert.deepEqual(await journal.proofs.counts(), { records: 3, pending: 2 });
      assert.deepEqual(
        (await journal.proofs.byDocument("doc 3")).map(({ outcome }) => outcome.state),
        ["pending"],
      );
      // Two proofs and what confirms one, an account, and the new proof.
      assert.equal(await assertChained(database), 5);
      await database.destroy();
    });

    it("the second, keeps batches with their places, open ones and proofs that share a place", async () => {
      const confirmed = [1, 2, 3].map(proofOf);
      const open = [4, 5].map(proofOf);
      await old({ "0001-initial": initial, "0002-batches": batches }, async (run) => {
        await run(transaction(1, true));
        await run(
          sql`
            insert into anchors (id, hash, size, transaction_id, relayer, opened_at)
            values (1, ${hashOf(9)}, 3, 1, ${ADDRESS}, 500)`,
        );
        await run(
          sql`
            insert into anchors (id, hash, size, transaction_id, relayer, opened_at)
            values (2, null, 0, null, ${ADDRESS}, 600)`,
        );
        const add = (
          anchor: number,
          leaf: number,
          { documentId, hash, recordHash: recorded }: ReturnType<typeof proofOf>,
          type: string | null,
        ) => {
          const [source, metadata] = [leaf === 1 ? "billing" : null, leaf === 2 ? '{"pages":3}' : null];
          return run(sql`
            insert into proofs (document_id, hash, record_hash, timestamp, type, source, metadata, accepted_at,
              anchor_id, leaf_index)
            values (${documentId}, ${hash}, ${recorded}, 1, ${type}, ${source}, ${metadata}, 2, ${anchor}, ${leaf})`);
        };
        for (const [leaf, proof] of confirmed.entries()) await add(1, leaf, proof, (leaf + 1) % 2 === 0 ? "log" : null);
        for (const [leaf, proof] of open.entries()) await add(2, leaf, proof, leaf === 0 ? "log" : null);
        // "doc 1" recorded at 1 reads like "doc " recorded at 11.
        const { hash, recordHash: recorded } = proofOf(1);
        await run(
          sql`
            insert into proofs (document_id, hash, record_hash, timestamp, accepted_at, anchor_id, leaf_index)
            values ('doc ', ${hash}, ${recorded}, 11, 2, 1, 0)`,
        );
      });

      const database = await openDatabase(empty.connect());
      const journal = createJournal(database, ADDRESSES, ADDRESS);
      assert.deepEqual(
        (await journal.anchors.leaves(1)).map((leaf) => Buffer.from(leaf)),
        confirmed.map((proof) => Buffer.from(proof.recordHash)),
      );
      assert.deepEqual(
        (await journal.anchors.leaves(2)).map((leaf) => Buffer.from(leaf)),
        open.map((proof) => Buffer.from(proof.recordHash)),
      );
      assert.deepEqual(
        (await journal.proofs.byAnchor(1, 0, 10)).map(({ documentId, leafIndex }) => [documentId, leafIndex]),
        [
          ["doc 1", 0],
          ["doc ", 0],
          ["doc 2", 1],
          ["doc 3", 2],
        ],
      );
      assert.deepEqual(
        (await Array.fromAsync(journal.proofs.byHash(hashOf(1)))).map(({ documentId }) => documentId),
        ["doc 1", "doc "],
      );
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
