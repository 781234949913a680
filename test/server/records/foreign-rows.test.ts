import { assert } from "chai";
import fc from "fast-check";
import { sha256 } from "ethers";
import { type LogEntry, recordIndexStore } from "../../../server/records/record-index.ts";
import { recordReader } from "../../../server/records/record-reader.ts";
import { RowIds } from "../../../server/records/row-ids.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { KEY } from "../../support/journal-key.ts";
import { rowEntry } from "../../support/row-entry.ts";
import { searchRecords } from "../../support/search-records.ts";

const BLOCK_HASH = new Uint8Array(32);
/** Row ids from here on are not counted on. */
const FAR = 10n ** 15n;
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
      const store = recordIndexStore(journal.database, KEY, "events");
      await fc.assert(
        fc.asyncProperty(history, async (writes) => {
          await store.drop();
          let block: number | undefined;
          let entries: LogEntry[] = [];
          for (const [index, write] of writes.entries()) {
            entries.push(entryOf(write, index));
            if (!write.isEndOfBlock && index + 1 < writes.length) continue;
            const written = await store.apply({
              entries,
              after: block,
              to: (block ?? 0) + 1,
              hash: BLOCK_HASH,
              head: 0,
            });
            assert.lengthOf(written?.foreign ?? [], entries.length);
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

    it("are read by their row id of any length, the first one first", async () => {
      const store = recordIndexStore(journal.database, KEY, "events");
      const ids = fc.array(fc.constantFrom(0n, 7n, FAR - 1n, FAR, 2n ** 256n - 1n), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(ids, async (written) => {
          await store.drop();
          const entries = written.map((rowId, n) =>
            rowEntry({ rowId, sender: "0x", code: `${n}`, topic: "t", createdAt: "", payload: "" }),
          );
          await store.apply({ entries, after: undefined, to: 1, hash: BLOCK_HASH, head: 0 });
          for (const rowId of new Set([...written, 1n, FAR + 1n])) {
            const found = await recordReader(journal.database, KEY).withRowId(rowId);
            const expectedCodes = written.flatMap((each, n) => (each === rowId ? [`${n}`] : []));
            assert.deepEqual(
              found.map(({ code }) => code),
              expectedCodes,
            );
          }
        }),
        { numRuns: engine === "sqlite" ? 50 : 20 },
      );
    });

    it("are never assigned, and those far ahead change nothing", async () => {
      const store = recordIndexStore(journal.database, KEY, "events");
      const ids = fc.array(fc.oneof(fc.bigInt(0n, 2_000n), fc.bigInt(FAR, 2n ** 256n - 1n)), { maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(ids, fc.integer({ min: 1, max: 5 }), async (taken, attempt) => {
          await store.drop();
          const entries = taken.map((rowId, n) =>
            rowEntry({ rowId, sender: "0x", code: `${n}`, topic: "t", createdAt: "", payload: "" }),
          );
          await store.apply({ entries, after: undefined, to: 1, hash: BLOCK_HASH, head: 0 });
          const highest = taken.filter((rowId) => rowId < FAR).reduce((a, b) => (a > b ? a : b), 0n);
          const rowIds = new RowIds({
            records: recordReader(journal.database, KEY),
            stores: { newestRowId: async () => 0n },
          });
          const [first, second] = [await rowIds.next(1), await rowIds.next(1)];
          assert.deepEqual([first, second], [highest + 1n, highest + 2n]);
          const farther = await rowIds.next(attempt);
          assert.isTrue(farther > second && farther <= second + 16n ** BigInt(attempt - 1));
        }),
        { numRuns: engine === "sqlite" ? 150 : 20 },
      );
    });
  });
