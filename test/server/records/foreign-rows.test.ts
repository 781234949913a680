import { assert } from "chai";
import fc from "fast-check";
import { sha256 } from "ethers";
import { type LogEntry, recordIndexStore } from "../../../server/records/record-index.ts";
import { nextRowId, takeRowId } from "../../../server/records/record-reader.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { rowEntry } from "../../support/row-entry.ts";
import { searchRecords } from "../../support/search-records.ts";

const BLOCK_HASH = new Uint8Array(32);
const FAR = 2n ** 52n;
/** Signed rows; two of them name each row id. */
const ROWS = 8;
const ROW_IDS = ROWS / 2;

const digestOf = (text: string): Uint8Array => Buffer.from(sha256(Buffer.from(text)).slice(2), "hex");

/** A write on chain: a signed row under the row id that it names, or data that are no record under that row id. */
interface Write {
  readonly row: number;
  readonly isRecord: boolean;
}

/** What the search shows of a signed row. */
interface Shown {
  readonly code: string;
  /** The write over it, by its position in the history. */
  readonly overwrittenBy: number | undefined;
}

const namedBy = (row: number): number => row % ROW_IDS;
const transactionOf = (index: number): Uint8Array => digestOf(`transaction ${index}`);

/** The rules, over the whole history of writes. Newest row first. */
function expected(writes: readonly Write[]): Shown[] {
  const rows = [...new Set(writes.filter(({ isRecord }) => isRecord).map(({ row }) => row))].reverse();
  return rows.map((row) => {
    const last = writes.findLastIndex((write) => write.row === row && write.isRecord);
    const over = writes.findIndex(
      (write, index) => index > last && namedBy(write.row) === namedBy(row) && !(write.row === row && write.isRecord),
    );
    return { code: `row ${row}`, overwrittenBy: over < 0 ? undefined : over };
  });
}

const history = fc.array(fc.record({ row: fc.nat(ROWS - 1), isRecord: fc.boolean(), isEndOfBlock: fc.boolean() }), {
  maxLength: 30,
});

for (const engine of ENGINES)
  describe(`rows of other writers, on ${engine}`, () => {
    let journal: TestDatabase;
    before(async () => {
      journal = await openTestDatabase(engine);
    });
    after(() => journal.close());

    const entryOf = ({ row, isRecord }: Write, index: number): LogEntry => {
      const entry = rowEntry({
        rowId: BigInt(namedBy(row)),
        sender: "0x",
        code: `row ${row}`,
        topic: "t",
        createdAt: "",
        payload: "",
        digest: digestOf(isRecord ? `signed row ${row}` : `no record ${row}`),
        transactionHash: transactionOf(index),
      });
      return { ...entry, row: isRecord ? entry.row : undefined };
    };

    it("are shown and marked according to the rules, in any order and in any blocks", async () => {
      const store = recordIndexStore(journal.database, "events");
      await fc.assert(
        fc.asyncProperty(history, async (writes) => {
          await store.drop();
          let block: number | undefined;
          let entries: LogEntry[] = [];
          for (const [index, write] of writes.entries()) {
            entries.push(entryOf(write, index));
            if (!write.isEndOfBlock && index + 1 < writes.length) continue;
            const foreign = await store.apply(entries, block, (block ?? 0) + 1, BLOCK_HASH, 0);
            assert.lengthOf(foreign ?? [], entries.length);
            block = (block ?? 0) + 1;
            entries = [];
          }
          const found = await searchRecords(journal.database, { field: "topic", pattern: ["t"], limit: 100 });
          assert.deepEqual(
            found.map(({ code, overwrittenBy }) => ({
              code,
              overwrittenBy: overwrittenBy && Buffer.from(overwrittenBy).toString("hex"),
            })),
            expected(writes).map(({ overwrittenBy, ...same }) => ({
              ...same,
              overwrittenBy:
                overwrittenBy === undefined ? undefined : Buffer.from(transactionOf(overwrittenBy)).toString("hex"),
            })),
          );
        }),
        { numRuns: engine === "sqlite" ? 150 : 40 },
      );
    });

    it("keep their row ids, near and far ones, however many there are", async () => {
      const { database } = journal;
      const table = "taken";
      const count = engine === "sqlite" ? 10_000n : 500n;
      await database.transaction().execute(async (transaction) => {
        for (let ahead = 0n; ahead < count; ahead += 1n) await takeRowId(transaction, table, FAR + ahead);
        // Every second one, from the end, then those between.
        for (let ahead = 200n; ahead > 0n; ahead -= 2n) await takeRowId(transaction, table, 2n * FAR - 1_000n + ahead);
        for (let ahead = 1n; ahead < 200n; ahead += 2n) await takeRowId(transaction, table, 2n * FAR - 1_000n + ahead);
        for (const none of [2n * FAR - 1n, 2n ** 255n, 0n]) await takeRowId(transaction, table, none);
      });
      const ranges = await database.selectFrom("distant_rows").selectAll().where("table_name", "=", table).execute();
      assert.deepEqual(
        ranges.map((range) => [BigInt(range.first_row_id) - FAR, range.last_row_id - range.first_row_id + 1]).sort(),
        [
          [0n, Number(count)],
          [FAR - 999n, 200],
        ],
      );
      assert.equal(await nextRowId(database, table), 1n);
      await takeRowId(database, table, 500_000n);
      assert.equal(await nextRowId(database, table), 500_001n);
      await database
        .updateTable("row_counters")
        .set({ last_row_id: Number(FAR - 1n) })
        .execute();
      assert.equal(await nextRowId(database, table), FAR + count);
      assert.equal(await nextRowId(database, table), FAR + count + 1n);
    });

    it("are never assigned: row ids are those that no write has", async () => {
      const { database } = journal;
      const bases = fc.constantFrom(0n, 1_000_000n, 1_000_003n, 3_000_000n, FAR);
      const ids = fc.tuple(bases, fc.bigInt(1n, 6n)).map(([base, offset]) => base + offset);
      let number = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.option(ids), { maxLength: 30 }), async (steps) => {
          const table = `drawn ${(number += 1)}`;
          const taken = new Set<bigint>();
          let last = 0n;
          for (const rowId of steps) {
            if (rowId !== null) {
              taken.add(rowId);
              await takeRowId(database, table, rowId);
              continue;
            }
            const next = await nextRowId(database, table);
            assert.isFalse(taken.has(next), `${next} is taken`);
            assert.isTrue(next > last && next <= FAR);
            last = next;
          }
        }),
        { numRuns: engine === "sqlite" ? 150 : 20 },
      );
    });
  });
