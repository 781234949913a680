import { assert } from "chai";
import { sql } from "kysely";
import { recordIndexFault } from "../../../server/records/index-check.ts";
import { recordIndexStore } from "../../../server/records/record-index.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { KEY } from "../../support/journal-key.ts";
import { rowEntry } from "../../support/row-entry.ts";

const BLOCK_HASH = new Uint8Array(32);
/** More than are read at once. */
const ROWS = 250;

for (const engine of ENGINES)
  describe(`the check of the record index, on ${engine}`, function () {
    let journal: TestDatabase;
    const entry = (n: number, code = `row ${n}`) =>
      rowEntry({ rowId: BigInt(n), sender: "0x", code, topic: "t", createdAt: "", payload: "" });
    const store = (table = "events") => recordIndexStore(journal.database, KEY, table);
    const fault = (table = "events") => recordIndexFault({ database: journal.database, key: KEY, table }, () => false);
    const run = (statement: string) => sql.raw(statement).execute(journal.database);

    before(async () => {
      journal = await openTestDatabase(engine);
    });
    after(() => journal.close());
    beforeEach(async () => {
      await store().drop();
      const entries = Array.from({ length: ROWS }, (_, n) => entry(n + 1));
      await store().apply({ entries, after: undefined, to: 5, hash: BLOCK_HASH, head: 5 });
    });

    it("finds nothing in an index as it was written, with marks and further rows", async () => {
      assert.isUndefined(await fault());
      await store().apply({
        entries: [entry(7, "another"), entry(7), entry(ROWS + 1)],
        after: 5,
        to: 6,
        hash: BLOCK_HASH,
        head: 6,
      });
      assert.isUndefined(await fault());
      await store().drop();
      assert.isUndefined(await fault());
    });

    for (const [what, statement, expected] of [
      ["a changed text", "update records set topic = 'u' where position = 120", /^its row 120 /],
      ["a mark", `update records set overwritten_by = digest where position = 3`, /^its row 3 /],
      ["a missing row", "delete from records where position = 101", /^its row 101 /],
      ["a missing newest row", `delete from records where position = ${ROWS}`, new RegExp(`^its row ${ROWS} `)],
      [
        "rows in another order",
        "update records set position = case position when 4 then 1004 else 4 end where position in (4, 5)",
        /^its row 4 /,
      ],
      ["a further row", invented(1_000, "x"), /^its row 1000 /],
      ["a row before the first one", invented(-5, "x"), /^its row 1 /],
      ["a position further on", "update index_progress set block_number = block_number + 10", /^its position /],
      ["a position of before", "update index_progress set rows = rows - 1", /^its position /],
      ["no position", "delete from index_progress", /^its position /],
    ] as const)
      it(`finds ${what}`, async () => {
        await run(statement);
        assert.match((await fault()) ?? "", expected);
      });

    it("finds a row that is missing together with the position of before it", async () => {
      await run("create table kept as select * from index_progress");
      await store().apply({ entries: [entry(ROWS + 1)], after: 5, to: 6, hash: BLOCK_HASH, head: 6 });
      await run("delete from index_progress");
      await run("insert into index_progress select * from kept");
      await run("drop table kept");
      assert.match((await fault()) ?? "", new RegExp(`^its row ${ROWS + 1} `));
    });

    it("finds the mark of before, with the code of before", async () => {
      await run("create table kept as select * from records where position = 7");
      const noRecord = { ...entry(7, "no record"), row: undefined };
      await store().apply({ entries: [noRecord], after: 5, to: 6, hash: BLOCK_HASH, head: 6 });
      assert.isUndefined(await fault());
      await run("delete from records where position = 7");
      await run("insert into records select * from kept");
      await run("drop table kept");
      assert.match((await fault()) ?? "", /^one of its rows /);
    });

    it("finds values that cannot be counted with, or are of another type", async () => {
      await run("update records set position = 9223372036854775807 where position = 5");
      assert.match((await fault()) ?? "", /^one of its rows /);
      await run("update records set position = 5 where position = 9223372036854775807");
      if (engine === "postgres") return;
      await run("update records set code = x'00' where position = 2");
      assert.match((await fault()) ?? "", /^its row 2 /);
      await run("update records set transaction_hash = 'text' where position = 1");
      assert.match((await fault()) ?? "", /^its row 1 /);
    });

    it("takes the index of another table for none", async () => {
      assert.match((await fault("another")) ?? "", /^its position /);
    });

    /** A copy of a row in another place. */
    function invented(position: number, code: string): string {
      const digest = engine === "sqlite" ? "x'aa'" : "'\\xaa'::bytea";
      const columns = "sender, topic, created_at, payload, transaction_hash, block_number, code_of_row";
      return (
        `insert into records (position, row_id, digest, code, ${columns}) ` +
        `select ${position}, '999', ${digest}, '${code}', ${columns} from records where position = 1`
      );
    }
  });
