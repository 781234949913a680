import { randomUUID } from "node:crypto";
import { assert } from "chai";
import { content, refused } from "../support/envelope.ts";
import type { HttpResponse } from "../support/http.ts";
import { allTransactions } from "../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

/** Numbers that a parser of JSON turns into others, or into none. */
const NUMBERS =
  '{"readings":[1.0,-0,0.10,1E2,1e400,-1e400,5e-400,0.1000000000000000055,123456789012345678901234567890],' +
  '"deep":{"9007199254740993":9007199254740993,"exact":[0,-1,12.5,1e-7]}}';

describe("payloads of records", () => {
  let server: TestServer;
  let token: string;
  before(async () => {
    server = await startServer({ SESSION_LIFETIME: "3600" });
    token = await server.login();
  });
  after(() => server.stop());

  const body = (payload: string, code: string = randomUUID()) =>
    `{"credentials":{"token":"${token}"},"method":"GET","route":"${ROUTES.store}",` +
    `"payload":{"code":"${code}","topic":"t","payload":${payload}}}`;
  const store = (payload: string, code?: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    server.post("/api", body(payload, code), headers);
  const search = async (code: string): Promise<string[]> => {
    const response = await server.call(ROUTES.search, { token }, { search: { target: "1", value: code } });
    const events: string[][] = content(response, ROUTES.search).tparams.events;
    return events.map(([, , , payload = ""]) => Buffer.from(payload, "base64").toString());
  };
  const newestCallData = async (): Promise<string> => (await allTransactions(server.chainUrl)).at(-1)?.input ?? "";

  it("have the numbers that the client wrote, in the signed row, a search and a decoded transaction", async () => {
    content(await store(NUMBERS, "numbers"), ROUTES.store);
    assert.deepEqual(await search("numbers"), [NUMBERS]);
    const call = { function: "insert", inputdata: await newestCallData() };
    const response = await server.call(ROUTES.decode, { token }, call);
    const { transaction, checks } = content(response, ROUTES.decode).tparams;
    assert.isTrue(checks.passed);
    assert.equal(Buffer.from(transaction.rowdata.filechain.split("|")[4], "base64").toString(), NUMBERS);
    assert.include(response.text, `"payload":${NUMBERS}`);
  });

  it("have no white space, and the keys and texts of the client", async () => {
    const payload = ' { "\\u0061" : [ 1.0 ,\n"\\u00fc / \\/ \\n" ] ,\t"b": { } } ';
    content(await store(payload, "spaces"), ROUTES.store);
    assert.deepEqual(await search("spaces"), ['{"a":[1.0,"ü / / \\n"],"b":{}}']);
  });

  it("may begin with a byte order mark", async () => {
    const text = `\ufeff${body('{"a":1.0}', "marked")}`;
    content(await server.post("/api", text), ROUTES.store);
    assert.deepEqual(await search("marked"), ['{"a":1.0}']);
  });

  it("may have keys like those of prototypes, but not __proto__", async () => {
    const payload = '{"constructor":{"prototype":1.0},"toString":2.0,"hasOwnProperty":3.0}';
    content(await store(payload, "methods"), ROUTES.store);
    assert.deepEqual(await search("methods"), [payload]);
    for (const key of ["__proto__", "\\u005f_proto__"]) {
      const message = refused(await store(`{"a":{"${key}":{"b":1.0}}}`), ROUTES.store, 400, "malformed");
      assert.equal(message, "payload.payload.a: has a key __proto__");
    }
  });

  const duplicates: readonly (readonly [what: string, payload: string, path: string])[] = [
    ["at the top", '{"a":1,"a":2}', "a"],
    ["with equal values", '{"a":{},"a":{}}', "a"],
    ["in a list", '{"readings":[{"pm":1,"at":"now","pm":2}]}', "readings.0.pm"],
    ["that are escaped", '{"x":{"a":1,"\\u0061":2}}', "x.a"],
    ["at the deepest level", `${'{"a":'.repeat(29)}{"b":1,"b":2}${"}".repeat(29)}`, `${"a.".repeat(29)}b`],
  ];
  for (const [what, payload, path] of duplicates)
    it(`are refused with duplicate keys ${what}; nothing is signed`, async () => {
      content(await store("{}", "before"), ROUTES.store);
      const before = await newestCallData();
      const code = randomUUID();
      const response = await store(payload, code, { "Idempotency-Key": randomUUID() });
      const message = refused(response, ROUTES.store, 400, "malformed");
      assert.equal(message, `payload.payload.${path}: the key appears twice`);
      const details = [{ path: `payload.payload.${path}`, message: "the key appears twice" }];
      assert.deepEqual(response.body.content.error.details, details);
      assert.isEmpty(await search(code));
      assert.equal(await newestCallData(), before);
    });

  it("leave no gap in the row ids when they are refused", async () => {
    const first = content(await store("{}"), ROUTES.store);
    await store('{"a":1,"a":1}');
    assert.equal(content(await store("{}"), ROUTES.store).chainid, first.chainid + 1);
  });

  it("are refused with duplicate keys elsewhere in the call", async () => {
    const twice = body("{}").replace('"topic":"t"', '"topic":"t","topic":"u"');
    const message = refused(await server.post("/api", twice), ROUTES.store, 400, "malformed");
    assert.equal(message, "payload.topic: the key appears twice");
  });

  it("that are no objects are refused, also as numbers", async () => {
    for (const payload of ["1.0", "1e400", "[1.0]", "null", '"1.0"'])
      assert.equal(
        refused(await store(payload), ROUTES.store, 400, "malformed"),
        "payload.payload: is not an object",
        payload,
      );
  });

  it("are the same request with another white space, and another one with other digits", async () => {
    const key = { "Idempotency-Key": randomUUID() };
    const code = randomUUID();
    const { chainid } = content(await store('{"a":1.0}', code, key), ROUTES.store);
    assert.equal(content(await store('{ "a": 1.0 }', code, key), ROUTES.store).chainid, chainid);
    for (const other of ['{"a":1}', '{"a":1.00}', '{"a":"1.0"}', '{"a":{"rawJSON":"1.0"}}'])
      refused(await store(other, code, key), ROUTES.store, 422, "key_reused");
    assert.deepEqual(await search(code), ['{"a":1.0}']);
  });

  it("of 64 KiB of numbers are stored", async () => {
    const payload = `{"a":[${"1.0,".repeat(16_000)}0]}`;
    content(await store(payload, "large"), ROUTES.store);
    assert.deepEqual(await search("large"), [payload]);
  });
});
