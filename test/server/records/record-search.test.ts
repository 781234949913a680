import { assert } from "chai";
import { openDatabase, type Database } from "../../../server/journal/engine/database.ts";
import { type DatabaseLocation, openForQueries } from "../../../server/journal/engine/query-connection.ts";
import { recordIndexStore } from "../../../server/records/record-index.ts";
import { WorkerPool } from "../../../server/kit/workers/worker-pool.ts";
import { RecordSearch } from "../../../server/records/record-search.ts";
import { parseSearchPattern } from "../../../server/records/record.ts";
import { emptyDatabase, ENGINES } from "../../support/database.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { KEY } from "../../support/journal-key.ts";
import { rowEntry } from "../../support/row-entry.ts";
import { thrownBy } from "../../support/thrown.ts";

for (const engine of ENGINES)
  describe(`searches in a thread, on ${engine}`, function () {
    let files: EngineDatabase;
    let database: Database;
    let location: DatabaseLocation;
    const workers = new WorkerPool();
    let search: RecordSearch;
    before(async () => {
      files = await emptyDatabase(engine);
      database = await openDatabase(files.connect());
      location =
        engine === "sqlite"
          ? { kind: "sqlite", file: files.url.replace("file:", "") }
          : { kind: "postgres", url: files.url };
      search = new RecordSearch(workers, location, () => undefined);
    });
    after(async () => {
      await workers.stop();
      await database.destroy();
      await files.remove();
    });

    const row = (number: number) =>
      rowEntry({ rowId: BigInt(number), sender: "0x", code: `code ${number}`, topic: "t", createdAt: "", payload: "" });

    it("find what is committed, also afterwards", async () => {
      const store = recordIndexStore(database, KEY, "events");
      const query = { field: "code", pattern: parseSearchPattern("*de*1*"), limit: 10 } as const;
      await store.apply({ entries: [1, 2, 11].map(row), after: undefined, to: 1, hash: new Uint8Array(32), head: 1 });
      assert.lengthOf((await search.step("account", query)).positions, 2);
      await store.apply({ entries: [row(21)], after: 1, to: 2, hash: new Uint8Array(32), head: 2 });
      const { positions, next, milliseconds } = await search.step("account", query);
      assert.lengthOf(positions, 3);
      assert.isUndefined(next);
      assert.isAbove(milliseconds, 0);
    });

    it("use a connection that cannot write", async () => {
      const queries = await openForQueries(location);
      try {
        await thrownBy(
          queries.insertInto("login_sources").values({ login: "t", source: "", logged_in_at: 1 }).execute(),
        );
      } finally {
        await queries.destroy();
      }
      const written = database.selectFrom("login_sources").selectAll();
      assert.isEmpty(await written.execute());
    });
  });
