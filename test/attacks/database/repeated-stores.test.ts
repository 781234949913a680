import { assert } from "chai";
import { type Administrator, administratorOf, EVERY_ACCESS } from "../../support/administrator.ts";
import { emptyDatabase } from "../../support/database.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import type { HttpResponse } from "../../support/http.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import { startRawNode } from "../../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../../support/remote-chain.ts";
import { rpcCall } from "../../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../../support/server.ts";

const PERIOD = 200;
const OFTEN = { reconcileIntervalMilliseconds: PERIOD, fullReconcileIntervalMilliseconds: PERIOD };

for (const access of EVERY_ACCESS)
  describe(`repeated stores of records, whatever ${access.who} changes, on ${access.engine}`, function () {
    let chain: RemoteChain;
    let database: EngineDatabase;
    let administrator: Administrator;
    let server: TestServer;
    let token: string;
    let number = 0;

    const start = async (): Promise<void> => {
      const variables = { ...chain.variables, DATABASE_URL: database.url, CHAIN_WAIT: "1", SESSION_LIFETIME: "3600" };
      server = await startServer(variables, { directory: chain.directory, settings: { journal: OFTEN } });
    };
    before(async () => {
      chain = await startRemoteChain(startRawNode);
      database = await emptyDatabase(access.engine);
      await start();
      administrator = await administratorOf(database, access);
      token = await server.login((await server.context.accounts?.create("full")) ?? assert.fail());
    });
    after(async () => {
      await administrator.close();
      await server.stop("keep");
      await chain.close();
      await database.remove();
    });

    const store = (code: string): Promise<HttpResponse> =>
      server.call(ROUTES.store, { token }, { code, topic: "t", payload: { code } }, { "Idempotency-Key": code });
    const fresh = (): string => `code-of-the-record-${(number += 1)}`;
    const found = async (code: string): Promise<number> => {
      const { body } = await server.call(ROUTES.search, { token }, { search: { target: "1", value: code } });
      return body.content.tparams.events.length;
    };
    const stored = async (code: string): Promise<number> => {
      const { status, body, text } = await store(code);
      assert.equal(status, 200, text);
      return body.content.chainid;
    };
    const causes = async (): Promise<string[]> =>
      (await server.get("/api/v1/alerts")).body.alerts
        .filter(({ alert, state }: ParsedJson) => alert === "journal_divergence" && state === "raised")
        .map(({ subject }: ParsedJson) => subject);
    const another = "(select min(id) from transactions)";

    for (const [what, ...statements] of [
      ["deletes the memory of keys", "delete from stores", "delete from keyed_calls"],
      ["calls every transaction cancelled", "update transactions set state = 'cancelled' where purpose = 'record'"],
      ["calls every transaction refused", "update transactions set state = 'refused' where purpose = 'record'"],
      [
        "says that their row ids are taken",
        "update transactions set state = 'reverted', reason = 'RowExists' where purpose = 'record'",
      ],
      [
        "says so, and removes the rows",
        "update transactions set state = 'reverted', reason = 'RowExists' where purpose = 'record'",
        "delete from records where position = (select max(position) from records)",
      ],
      ["deletes the transactions", "delete from transactions where purpose = 'record'"],
      ["links another transaction", `update stores set transaction_id = ${another}`],
    ] as const) {
      // Security, database: cannot have a record stored twice by its idempotency key, whatever it changes meanwhile
      it(`store nothing twice when it ${what} (attack 24)`, async () => {
        const code = fresh();
        const first = await stored(code);
        const before = await contents();
        await administrator.run(...statements);
        await eventually(async () => assert.equal(await stored(code), first));
        assert.equal(await found(code), 1);
        await putBack(before);
      });

      it(`store nothing twice when it ${what} while the record waits for its block (attack 24)`, async () => {
        const code = fresh();
        await rpcCall(chain.url, "evm_setAutomine", false);
        assert.equal((await store(code)).status, 503);
        const before = await contents();
        await administrator.run(...statements);
        assert.equal((await store(code)).status, 503);
        await rpcCall(chain.url, "evm_setAutomine", true);
        await rpcCall(chain.url, "evm_mine");
        let first: number | undefined;
        await eventually(async () => {
          first = await stored(code);
        });
        assert.equal(await stored(code), first);
        assert.equal(await found(code), 1);
        await putBack(before);
      });
    }

    // Security, database: cannot hide removed keys of stores for more than a complete check
    it("are an alert when it deletes their keys of a stopped server, until they are put back", async () => {
      const code = fresh();
      const first = await stored(code);
      await server.stop("keep");
      const before = await contents();
      await administrator.run("delete from stores");
      await start();
      await eventually(async () => assert.deepEqual(await causes(), ["entries"]));
      await putBack(before);
      await eventually(async () => assert.isEmpty(await causes()));
      assert.equal(await stored(code), first);
      assert.equal(await found(code), 1);
    });

    it("go on with the next row id after the largest ones were invented (attack 24)", async () => {
      const digest = (text: string) => (access.engine === "sqlite" ? `x'${text}'` : `'\\x${text}'::bytea`);
      const copied = "sender, topic, created_at, payload, transaction_hash, block_number, code_of_row";
      const first = await stored(fresh());
      for (const [position, rowId] of [
        [1_000, (2n ** 53n - 1n).toString()],
        [1_001, (2n ** 256n - 1n).toString()],
      ] as const)
        await administrator.run(
          `insert into records (position, row_id, digest, code, ${copied}) select ${position}, '${rowId}', ` +
            `${digest(String(position))}, 'invented', ${copied} from records where position = 1`,
        );
      assert.equal(await stored(fresh()), first + 1);
      await eventually(async () => assert.isEmpty(await causes()));
    });

    /** What is put back after the attack, so that the next one finds an intact journal. */
    async function contents(): Promise<readonly string[]> {
      const name = `kept_${(number += 1)}`;
      await administrator.run(`create table ${name} as select * from stores`);
      return [name];
    }
    async function putBack([name = ""]: readonly string[]): Promise<void> {
      await administrator.run(
        `delete from stores where sequence in (select sequence from ${name})`,
        `insert into stores select * from ${name}`,
        `drop table ${name}`,
      );
      await eventually(async () => assert.isEmpty(await causes()));
    }
  });
