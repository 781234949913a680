import { randomBytes } from "node:crypto";
import { assert } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import type { Journal } from "../../../../server/composition/journal.ts";
import type { AcceptedProof } from "../../../../server/proofs/proof.ts";
import { recordHash } from "../../../../server/journal/integrity/record-hash.ts";
import { createJournal } from "../../../../server/composition/journal.ts";
import { monthOf, partitionOf, startOf } from "../../../../server/journal/index/partitions.ts";
import { openPostgres } from "../../../../server/journal/engine/postgres.ts";
import { createPartitions } from "../../../../server/journal/index/partition-map.ts";
import { emptyDatabase, openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { assertChained } from "../../../support/journal-chain.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };

const NOVEMBER = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
const DECEMBER = NOVEMBER + 1;

describe("a month", function () {
  it("contains all times from its beginning to that of the next one", () => {
    assert.deepEqual([NOVEMBER, DECEMBER, 0].map(monthOf).map(partitionOf), [
      "proofs_2026_11",
      "proofs_2026_12",
      "proofs_1970_01",
    ]);
    assert.equal(startOf(monthOf(DECEMBER)), DECEMBER);
    fc.assert(
      fc.property(fc.maxSafeNat(), (time) => {
        const month = monthOf(time);
        assert.isAtMost(startOf(month), time);
        assert.isAbove(startOf(month + 1), Math.min(time, 8.64e15 - 1));
      }),
    );
  });
});

describe("monthly partitions of proofs, on postgres", function () {
  let opened: TestDatabase;
  let journal: Journal;
  beforeEach(async () => {
    opened = await openTestDatabase("postgres");
    journal = createJournal(opened.database, ADDRESSES, ADDRESS);
  });
  afterEach(() => opened.close());

  const proofAt = (acceptedAt: number, anchorId: number, leafIndex: number): AcceptedProof => {
    const [documentId, hash, metadata] = [`document ${leafIndex}`, randomBytes(32), { timestamp: 1 }];
    return {
      documentId,
      hash,
      recordHash: recordHash({ documentId, timestamp: 1, type: "", hash }),
      metadata,
      acceptedAt,
      anchorId,
      leafIndex,
      sharesLeaf: false,
    };
  };
  /** Writes a batch in one transaction. */
  const accept = (times: readonly number[], fails = false): Promise<AcceptedProof[]> =>
    journal.atomically(async (atomic) => {
      const anchorId = await atomic.anchors.open(1);
      const proofs = times.map((time, leaf) => proofAt(time, anchorId, leaf));
      await atomic.proofs.insert(proofs);
      // Also what is not committed yet is found.
      assert.lengthOf(await atomic.proofs.byRecordHashes(proofs.map((proof) => proof.recordHash)), proofs.length);
      if (fails) throw new Error("undone");
      return proofs;
    });
  const partitions = async (): Promise<string[]> => {
    const partitions = sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'proofs'::regclass order by 1`;
    const { rows } = await partitions.execute(opened.database);
    return rows.map(({ name }) => name);
  };
  const rowsIn = async (partition: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(partition)}`.execute(
      opened.database,
    );
    return rows[0]?.count ?? 0;
  };
  const assertFound = async (proofs: readonly AcceptedProof[], on = journal): Promise<void> => {
    const found = await on.proofs.byRecordHashes(proofs.map((proof) => proof.recordHash));
    assert.sameMembers(
      found.map((proof) => `${proof.documentId} ${proof.acceptedAt}`),
      proofs.map((proof) => `${proof.documentId} ${proof.acceptedAt}`),
    );
    for (const proof of proofs) assert.lengthOf(await Array.fromAsync(on.proofs.byHash(proof.hash)), 1);
  };

  it("are created ahead, once, by any number of processes", async () => {
    await Promise.all(Array.from({ length: 4 }, () => createPartitions(opened.database, NOVEMBER)));
    assert.deepEqual(await partitions(), ["proofs_2026_11", "proofs_2026_12", "proofs_2027_01"]);
    await createPartitions(opened.database, DECEMBER);
    assert.deepEqual((await partitions()).at(-1), "proofs_2027_02");
  });

  it("change in the middle of a batch", async () => {
    await createPartitions(opened.database, NOVEMBER);
    const proofs = await accept([NOVEMBER, NOVEMBER, DECEMBER, NOVEMBER, DECEMBER]);
    assert.deepEqual([await rowsIn("proofs_2026_11"), await rowsIn("proofs_2026_12")], [3, 2]);
    await assertFound(proofs);
    await assertFound(proofs, createJournal(opened.database, ADDRESSES, ADDRESS));
    const found = await journal.proofs.byDocument("document 3");
    assert.deepEqual(
      found.map(({ acceptedAt }) => acceptedAt),
      [NOVEMBER],
    );
    assert.equal(await assertChained(opened.database), 5);
  });

  it("are created on demand for any jump of the clock", async () => {
    const far = [0, Date.UTC(9999, 11, 31), 8.64e15 - 1, NOVEMBER, Date.UTC(12026, 0)];
    const proofs = [...(await accept(far)), ...(await accept([DECEMBER])), ...(await accept(far.toReversed()))];
    await assertFound(proofs);
    assert.lengthOf(await partitions(), 6);
    assert.equal(await assertChained(opened.database), 11);
  });

  it("are removed with the rollback of the transaction that created them", async () => {
    const before = await accept([NOVEMBER]);
    const failure = await accept([NOVEMBER, DECEMBER, DECEMBER], true).catch((error: unknown) => error);
    assert.match(String(failure), /undone/);
    const after = await accept([NOVEMBER, NOVEMBER, NOVEMBER]);
    await assertFound([...before, ...after]);
    assert.deepEqual(await partitions(), ["proofs_2026_11"]);
  });

  it("find every entry for every reader, in any order of creation", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom(NOVEMBER, DECEMBER, 0, Date.UTC(2027, 5)), { minLength: 1, maxLength: 4 }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (groups) => {
          const other = createJournal(opened.database, ADDRESSES, ADDRESS);
          for (const group of groups) {
            const proofs = await accept(group);
            await assertFound(proofs, other);
            await assertFound(proofs);
          }
        },
      ),
      { numRuns: 20 },
    ));

  it("are queried only where an entry can be", async () => {
    await accept([NOVEMBER]);
    for (let month = 0; month < 36; month += 1) await createPartitions(opened.database, Date.UTC(2027, month));
    await accept([DECEMBER]);
    const [from, to] = [monthOf(DECEMBER), monthOf(DECEMBER) + 1].map((month) => sql.lit(startOf(month)));
    const explained = sql<Record<string, string>>`
      explain select * from proofs
      where sequence in (1, 2) and accepted_at >= ${from} and accepted_at < ${to}`;
    const { rows } = await explained.execute(opened.database);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    assert.include(plan, "proofs_2026_12");
    assert.notInclude(plan, "proofs_2026_11");
    assert.notInclude(plan, "Append");
  });

  it("reject changes like their table, each by itself", async () => {
    await createPartitions(opened.database, NOVEMBER);
    // A partition that was made ahead, one that was made when it was needed.
    await accept([NOVEMBER, Date.UTC(2030, 0)]);
    const refusal = (statement: string) =>
      sql
        .raw(statement)
        .execute(opened.database)
        .then(() => "done", String);
    for (const partition of ["proofs_2026_11", "proofs_2030_01"]) {
      for (const change of [
        `update ${partition} set timestamp = 2`,
        `delete from ${partition}`,
        `truncate ${partition}`,
      ]) {
        assert.match(await refusal(change), /append-only|permission denied/, change);
      }
      // With the rights granted again, the triggers still reject.
      await sql`grant all on ${sql.table(partition)} to current_user`.execute(opened.database);
      assert.match(await refusal(`truncate ${partition}`), /append-only/);
    }
    for (const change of [
      "truncate proofs_2026_12",
      "truncate proofs",
      "truncate proof_months",
      "delete from proof_months",
      "update proof_months set month = 1",
    ]) {
      assert.match(await refusal(change), /append-only|permission denied/, change);
    }
    assert.equal(await assertChained(opened.database), 2);
  });

  it("exist from the first start on", async () => {
    const empty = await emptyDatabase("postgres");
    const database = await openPostgres(empty.url);
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from pg_inherits where inhparent = 'proofs'::regclass`.execute(database);
    assert.equal(rows[0]?.count, 3);
    await database.destroy();
    await empty.remove();
  });
});
