import { assert } from "chai";
import { type Administrator, administratorOf, EVERY_ACCESS } from "../../support/administrator.ts";
import { emptyDatabase } from "../../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import { fullPasses } from "../../support/full-passes.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import { ROUTES, startServer, type TestServer } from "../../support/server.ts";

const PERIOD = 200;
const OFTEN = { reconcileIntervalMilliseconds: PERIOD, fullReconcileIntervalMilliseconds: PERIOD };
const RARELY = { ...OFTEN, fullReconcileIntervalMilliseconds: 3_600_000 };
const CODES = ["one", "two", "three"];

for (const access of EVERY_ACCESS)
  describe(`the record index that ${access.who} changes, on ${access.engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let administrator: Administrator;
    let server: TestServer;

    const start = async (journal: typeof OFTEN): Promise<void> => {
      server = await startServer({ DATABASE_URL: database.url }, { directory, settings: { journal } });
    };
    before(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(access.engine);
      await start(OFTEN);
      const token = await server.login();
      for (const code of CODES)
        assert.equal((await server.call(ROUTES.store, { token }, { code, topic: "t", payload: { code } })).status, 200);
      await fullPasses(directory, 1);
      administrator = await administratorOf(database, access);
    });
    after(async () => {
      await administrator.close();
      await server.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });

    const search = async (value = "*", target = "1") => {
      const token = await server.login();
      return server.call(ROUTES.search, { token }, { search: { target, value, limit: 100 } });
    };
    const found = async (): Promise<string[]> => {
      const { status, body, text } = await search();
      assert.equal(status, 200, text);
      return body.content.tparams.events.map(([, code]: string[]) => code);
    };
    const alerts = async (state: "raised" | "resolved"): Promise<string[]> =>
      (await server.get("/api/v1/alerts")).body.alerts
        .filter((each: ParsedJson) => each.alert === "journal_divergence" && each.state === state)
        .map(({ subject }: ParsedJson) => subject);
    const literal = access.engine === "sqlite" ? "x'aa'" : "'\\xaa'::bytea";
    const copied = "sender, topic, created_at, payload, transaction_hash, block_number, code_of_row";

    for (const [what, statement] of [
      ["changes a record", "update records set payload = 'e30=' where position = 2"],
      ["names another sender", "update records set sender = '0x00000000000000000000000000000000000000AA'"],
      ["calls a record overwritten", `update records set overwritten_by = ${literal} where position = 2`],
      [
        "invents a record",
        `insert into records (position, row_id, digest, code, ${copied}) ` +
          `select -1, '999', ${literal}, 'invented', ${copied} from records where position = 1`,
      ],
    ] as const)
      // Security, database: cannot have a changed or invented record in a search: it is refused, and found
      it(`is not searched while it ${what}, and is built anew from the chain (attack 22)`, async () => {
        await server.stop("keep");
        await start(RARELY);
        await administrator.run(statement);
        const { status, body, text } = await search();
        assert.equal(status, 500, text);
        assert.equal(body.content.error.code, "journal_damaged");
        await eventually(async () => assert.deepEqual(await alerts("raised"), ["records"]));
        await eventually(async () => assert.deepEqual(await found(), CODES.toReversed()));
        await eventually(async () => assert.isEmpty(await alerts("raised")));
      });

    for (const [what, ...statements] of [
      ["removes a record", "delete from records where position = 2"],
      ["removes all records", "delete from records"],
      ["hides a record behind another text", "update records set code = 'other' where position = 3"],
      [
        "moves the position forward and removes records (attack 27)",
        "delete from records where position > 1",
        "update index_progress set block_number = block_number + 1000, rows = 1",
      ],
      ["removes the position", "delete from index_progress", "delete from records where position = 1"],
    ] as const)
      // Security, database: cannot hide a record from searches for more than a complete check
      it(`is built anew when it ${what}, with one alert meanwhile (attack 22)`, async () => {
        await server.stop("keep");
        await start(OFTEN);
        const before = (await alerts("resolved")).length;
        await administrator.run(...statements);
        await eventually(async () => assert.lengthOf(await alerts("resolved"), before + 1));
        assert.isEmpty(await alerts("raised"));
        assert.deepEqual(await found(), CODES.toReversed());
      });

    // Security, database: cannot have new blocks left out by moving the position of the record index
    it("has what is stored after its position was moved forward, also of a stopped server (attack 27)", async () => {
      await server.stop("keep");
      await administrator.run("update index_progress set block_number = block_number + 1000");
      await start(OFTEN);
      const token = await server.login();
      const stored = await server.call(ROUTES.store, { token }, { code: "four", topic: "t", payload: {} });
      assert.equal(stored.status, 200, stored.text);
      assert.deepEqual(await found(), ["four", ...CODES.toReversed()]);
    });
  });
