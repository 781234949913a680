import { assert } from "chai";
import { ClientError, type FoundRecord, RecordClient } from "../../client/index.ts";
import { rpcCall } from "../support/rpc.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { fakeServer, rejection } from "./fake-server.ts";

async function codeOf(promise: Promise<unknown>): Promise<[code: string, status: number | undefined]> {
  const error = await rejection(promise);
  if (!(error instanceof ClientError)) throw error;
  return [error.code, error.status];
}

async function all(records: AsyncIterable<FoundRecord>): Promise<FoundRecord[]> {
  const found: FoundRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
}

describe("record client", () => {
  let server: TestServer;
  let client: RecordClient;
  let token: string;

  before(async () => {
    server = await startServer({ SESSION_LIFETIME: "3600" });
    client = new RecordClient(server.url);
    token = await server.login();
  });
  after(() => server.stop());

  it("completes the life cycle of a session", async () => {
    const { login, password } = server.demo;
    const opened = (await client.auth(login, password)).tparams;
    assert.equal(opened.addr, login);
    assert.equal(opened.scope, "full");
    const validated = await client.validate(opened.tx);
    assert.deepInclude(validated, { sesstatus: true, tryextend: true });
    assert.equal(validated.tparams.svcauth, opened.tx);
    const extended = (await client.extend(validated.tparams.tx)).tparams;
    assert.equal(extended.pkey, opened.pkey);
    assert.deepEqual(await codeOf(client.extend(extended.tx)), ["extend_refused", 409]);
    assert.equal((await client.close(extended.tx)).tparams.table, "panel/login");
    assert.deepEqual(await codeOf(client.validate(extended.tx)), ["token_invalid", 401]);
  });

  it("stores records and finds them page by page, newest first", async () => {
    for (let number = 1; number <= 5; number += 1) {
      const stored = await client.store(token, {
        code: `page-${number}`,
        topic: "hourly series",
        payload: { number, text: "ü☃" },
      });
      assert.deepInclude(stored, { chainid: number, result: "success" });
    }
    let requests = 0;
    const current = (): string => {
      requests += 1;
      return token;
    };
    const found = await all(client.search(current, { field: "code", value: "page-*", limit: 2 }));
    assert.deepEqual(
      found.map(({ payload }) => payload),
      [5, 4, 3, 2, 1].map((number) => ({ number, text: "ü☃" })),
    );
    assert.deepEqual(
      [found[0]?.code, found[0]?.topic, found[0]?.sender],
      ["page-5", "hourly series", server.demo.login],
    );
    assert.equal(requests, 3);
    assert.lengthOf(await all(client.search(token, { field: "topic", value: "hourly series" })), 5);
    assert.isEmpty(await all(client.search(token, { field: "topic", value: "page-1" })));
  });

  it("returns the position of a record on the chain on request", async () => {
    const [plain] = await all(client.search(token, { field: "code", value: "page-5" }));
    assert.isUndefined(plain?.location);
    const [placed] = await all(client.search(token, { field: "code", value: "page-5", locations: true }));
    assert.equal(placed?.location?.chainId, "5");
    const transaction = await rpcCall(server.chainUrl, "eth_getTransactionByHash", placed?.location?.transactionHash);
    assert.equal(Number(transaction.blockNumber), placed?.location?.blockNumber);
    const { rowid, rowdata } = await client.decode(token, "insert", transaction.input);
    assert.deepEqual([rowid.reference, rowdata.payload], [5, placed?.payload]);
  });

  it("distinguishes errors", async () => {
    const { login } = server.demo;
    assert.deepEqual(await codeOf(client.auth(login, "wrong")), ["login_refused", 401]);
    assert.deepEqual(await codeOf(client.auth("nobody", "x")), ["malformed", 400]);
    const record = { code: "c", topic: "t", payload: {} };
    assert.deepEqual(await codeOf(client.store(`0x${"0".repeat(64)}`, record)), ["token_invalid", 401]);
    assert.deepEqual(await codeOf(client.store(token, { ...record, code: "" })), ["malformed", 400]);
    assert.deepEqual(await codeOf(all(client.search(token, { field: "code", value: "" }))), ["malformed", 400]);
  });

  it("retries a search, and a store with the same idempotency key and the current token", async () => {
    const busy = {
      status: 503,
      body: { status: 0, content: { error: { code: "chain_unavailable", message: "later" } }, msg: "", render: "" },
    };
    const found = { status: 200, body: { status: 1, content: { tparams: { events: [] } }, msg: "", render: "" } };
    const stored = { chainid: 1, event: "t", notification: false, result: "success" };
    const success = { status: 200, body: { status: 1, content: stored, msg: "", render: "" } };
    await using server = await fakeServer(busy, found, busy, success, success);
    const client = new RecordClient(server.url);
    assert.isEmpty(await all(client.search("t", { field: "code", value: "*" })));
    assert.lengthOf(server.received, 2);
    const tokens = ["first", "second"];
    const record = { code: "c", topic: "t", payload: {} };
    assert.deepEqual(await client.store(() => tokens.shift() ?? "", record), stored);
    const [first, second] = server.received.slice(2);
    const key = first?.headers["idempotency-key"];
    assert.match(String(key), /^[0-9a-f]{32}$/);
    assert.equal(second?.headers["idempotency-key"], key);
    assert.deepEqual(
      [first, second].map((received) => JSON.parse(received?.body ?? "").credentials.token),
      ["first", "second"],
    );
    await client.store("t", record, "key-of-the-program");
    assert.equal(server.received.at(-1)?.headers["idempotency-key"], "key-of-the-program");
    assert.lengthOf(server.received, 5);
  });

  it("sends the token as a cookie on request", async () => {
    await using server = await fakeServer({ status: 200, body: "nonsense" });
    const client = new RecordClient(server.url);
    assert.deepEqual(await codeOf(client.close("0x12")), ["unexpected_response", 200]);
    assert.equal(server.received[0]?.headers.cookie, "svcauth=0x12");
  });
});
