import { randomUUID } from "node:crypto";
import { assert } from "chai";
import { content, refused } from "../support/envelope.ts";
import type { HttpResponse } from "../support/http.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

const TOKEN = /^0x[0-9a-f]{64}$/;

function cookie(response: HttpResponse): { value: string; attributes: Map<string, string> } {
  const [set, ...more] = response.headers.getSetCookie();
  assert.isEmpty(more, "one cookie");
  assert.isDefined(set, "a cookie is set");
  const [pair = "", ...rest] = (set ?? "").split(";").map((part) => part.trim());
  const [name, value = ""] = pair.split("=");
  assert.equal(name, "svcauth");
  const attributes = rest.map((part): [string, string] => {
    const [key = "", text = ""] = part.split("=");
    return [key.toLowerCase(), text];
  });
  return { value, attributes: new Map(attributes) };
}

describe("the life of a session", function () {
  let server: TestServer;
  before(async () => {
    let now = NaN;
    const clock = (): number => (Number.isNaN(now) ? Date.now() : now);
    server = await startServer({}, { overrides: { clock }, settings: { sessions: { loginAttemptsPerAddress: 100 } } });
    // The clock stands still: how many seconds a session has left does not depend on the machine.
    now = Date.now();
  });
  after(() => server.stop());

  const auth = () => server.call(ROUTES.auth, server.demo);
  const validate = (token: unknown, headers?: Record<string, string>) =>
    server.call(ROUTES.validate, { token }, undefined, headers);
  const extend = (token: unknown, headers?: Record<string, string>) =>
    server.call(ROUTES.extend, { token }, undefined, headers);
  const close = (token: unknown, headers?: Record<string, string>) =>
    server.call(ROUTES.close, { token }, undefined, headers);
  const search = (token: unknown) => server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } });

  it("begins with every documented field of the authentication", async () => {
    const response = await auth();
    const body = content(response, ROUTES.auth);
    assert.hasAllKeys(body, ["component", "component_render", "tparams"]);
    assert.match(body.component_render, /^\d+(\.\d+)?$/);
    const { tparams } = body;
    assert.hasAllKeys(tparams, [
      "addr",
      "extensions",
      "pkey",
      "svcauth",
      "svclogs",
      "scope",
      "session",
      "stats",
      "status",
      "table",
      "tmpl_sesstoken",
      "tx",
    ]);
    assert.equal(tparams.addr, server.demo.login);
    assert.match(tparams.pkey, TOKEN);
    assert.match(tparams.tx, TOKEN);
    assert.notEqual(tparams.pkey, tparams.tx);
    assert.strictEqual(tparams.svcauth, "");
    assert.equal(tparams.scope, "full");
    assert.oneOf(tparams.session, [59, 60]);
    assert.strictEqual(tparams.status, true);
    assert.equal(tparams.table, "panel/area");
    assert.match(tparams.tmpl_sesstoken, /^0x[0-9a-f]{96}$/);
    const names = tparams.extensions.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ["records", "map", "decode", "proofs", "explorer"], "a bot is not configured");
    const { version } = (await server.get("/api/v1/status")).body;
    for (const extension of tparams.extensions) {
      assert.hasAllKeys(extension, ["name", "title", "version"]);
      assert.isString(extension.title);
      assert.equal(extension.version, version);
    }
    assert.hasAllKeys(tparams.stats, ["records", "accounts", "sessions", "block", "uptime"]);
    for (const [name, value] of Object.entries(tparams.stats)) {
      assert.isTrue(Number.isInteger(value) && Number(value) >= 0, `${name} is a count`);
    }
    assert.equal(tparams.stats.accounts, 1);
    assert.isAtLeast(tparams.stats.sessions, 1);
    assert.isAtLeast(tparams.stats.block, 1);

    const html = Buffer.from(body.component, "base64").toString("utf8");
    assert.equal(Buffer.from(html, "utf8").toString("base64"), body.component);
    for (const shown of ["ASC token", tparams.tx, tparams.addr, tparams.pkey, tparams.tmpl_sesstoken]) {
      assert.include(html, shown);
    }
    assert.match(response.headers.get("cache-control") ?? "", /no-store/);

    const { value, attributes } = cookie(response);
    assert.equal(value, tparams.tx);
    assert.isTrue(attributes.has("httponly"));
    assert.equal(attributes.get("samesite")?.toLowerCase(), "strict");
    assert.equal(attributes.get("max-age"), String(tparams.session));
    assert.isFalse(attributes.has("secure"), "not on plain HTTP: the browser would drop it");
  });

  it("shows the account's own log lines, newest first, at most 20", async () => {
    for (let n = 0; n < 3; n += 1) await server.call(ROUTES.auth, { login: server.demo.login, password: "wrong" });
    const token = await server.login();
    let live = token;
    for (let n = 0; n < 20; n += 1) live = content(await validate(live), ROUTES.validate).tparams.tx;
    const { svclogs } = content(await auth(), ROUTES.auth).tparams;
    assert.lengthOf(svclogs, 20);
    for (const line of svclogs) {
      assert.hasAllKeys(line, ["time", "level", "message"]);
      assert.isString(line.level);
      assert.isString(line.message);
      assert.isFalse(Number.isNaN(Date.parse(line.time)), `${line.time} is a time`);
    }
    const times = svclogs.map((line: { time: string }) => Date.parse(line.time));
    assert.deepEqual(
      times,
      [...times].sort((a: number, b: number) => b - a),
    );
    const text = JSON.stringify(svclogs);
    assert.notInclude(text, token);
    assert.notInclude(text, live);
  });

  it("accepts the login in any case and returns the checksummed address", async () => {
    for (const login of [server.demo.login.toLowerCase(), `0x${server.demo.login.slice(2).toUpperCase()}`]) {
      const { tparams } = content(await server.call(ROUTES.auth, { ...server.demo, login }), ROUTES.auth);
      assert.equal(tparams.addr, server.demo.login);
    }
  });

  it("validate replaces the token, keeps the expiry and the secure key", async () => {
    const first = content(await auth(), ROUTES.auth).tparams;
    const response = await validate(first.tx);
    const body = content(response, ROUTES.validate);
    assert.hasAllKeys(body, ["sesstatus", "tryextend", "tparams"]);
    assert.strictEqual(body.sesstatus, true);
    assert.strictEqual(body.tryextend, true);
    assert.hasAllKeys(body.tparams, ["addr", "svcauth", "pkey", "scope", "session", "tx"]);
    assert.equal(body.tparams.addr, server.demo.login);
    assert.equal(body.tparams.svcauth, first.tx);
    assert.equal(body.tparams.pkey, first.pkey);
    assert.equal(body.tparams.scope, "full");
    assert.isTrue(Number.isInteger(body.tparams.session));
    assert.isAtMost(body.tparams.session, 60);
    assert.isAbove(body.tparams.session, 30);
    assert.match(body.tparams.tx, TOKEN);
    assert.notEqual(body.tparams.tx, first.tx);
    const { value, attributes } = cookie(response);
    assert.equal(value, body.tparams.tx);
    assert.equal(attributes.get("max-age"), String(body.tparams.session));
    assert.isTrue(attributes.has("httponly"));
    assert.equal(attributes.get("samesite")?.toLowerCase(), "strict");

    refused(await validate(first.tx), ROUTES.validate, 401, "token_invalid");
    refused(await search(first.tx), ROUTES.search, 401, "token_invalid");
    refused(await extend(first.tx), ROUTES.extend, 401, "token_invalid");
    refused(await close(first.tx), ROUTES.close, 401, "token_invalid");
    content(await search(body.tparams.tx), ROUTES.search);
    content(await validate(body.tparams.tx), ROUTES.validate);
  });

  it("extend needs a validated session, sets a new lifetime and needs another validate", async () => {
    const token = await server.login();
    refused(await extend(token), ROUTES.extend, 409, "extend_refused");
    content(await search(token), ROUTES.search);
    const validated = content(await validate(token), ROUTES.validate).tparams;
    const response = await extend(validated.tx);
    const body = content(response, ROUTES.extend);
    assert.hasAllKeys(body, ["sesstatus", "tryextend", "tparams"]);
    assert.hasAllKeys(body.tparams, ["addr", "svcauth", "pkey", "scope", "session", "tx"]);
    assert.strictEqual(body.sesstatus, true);
    assert.strictEqual(body.tryextend, false);
    assert.oneOf(body.tparams.session, [59, 60]);
    assert.equal(body.tparams.svcauth, validated.tx);
    assert.equal(body.tparams.pkey, validated.pkey);
    assert.equal(cookie(response).value, body.tparams.tx);
    assert.equal(cookie(response).attributes.get("max-age"), String(body.tparams.session));
    refused(await search(validated.tx), ROUTES.search, 401, "token_invalid");
    refused(await extend(body.tparams.tx), ROUTES.extend, 409, "extend_refused");
    const again = content(await validate(body.tparams.tx), ROUTES.validate).tparams;
    content(await extend(again.tx), ROUTES.extend);
  });

  it("close destroys the token, clears the cookie and returns the login", async () => {
    const token = await server.login();
    const response = await close(token);
    const body = content(response, ROUTES.close);
    assert.hasAllKeys(body, ["component", "component_render", "tparams"]);
    assert.hasAllKeys(body.tparams, ["svcauth", "table", "tmpl_sesstoken"]);
    assert.equal(body.tparams.svcauth, token);
    assert.equal(body.tparams.table, "panel/login");
    assert.match(body.tparams.tmpl_sesstoken, /^0x[0-9a-f]{96}$/);
    const html = Buffer.from(body.component, "base64").toString("utf8");
    assert.include(html, body.tparams.tmpl_sesstoken);
    assert.match(html, /password/i);
    const { value, attributes } = cookie(response);
    assert.equal(value, "");
    assert.isTrue(attributes.get("max-age") === "0" || Date.parse(attributes.get("expires") ?? "") <= 0);
    for (const [route, again] of [
      [ROUTES.search, search],
      [ROUTES.validate, validate],
      [ROUTES.extend, extend],
      [ROUTES.close, close],
    ] as const) {
      refused(await again(token), route, 401, "token_invalid");
    }
  });

  // Security, network: cannot reuse a replaced or closed token, nor harm the live session with it
  it("an old token does not affect the live session", async () => {
    const old = await server.login();
    const live = content(await validate(old), ROUTES.validate).tparams.tx;
    for (const call of [validate, extend, close, search]) assert.equal((await call(old)).status, 401);
    content(await search(live), ROUTES.search);
  });

  it("sessions of one account are independent", async () => {
    const [one, two] = [await server.login(), await server.login()];
    content(await close(one), ROUTES.close);
    content(await validate(two), ROUTES.validate);
  });

  it("rejects unknown tokens", async () => {
    const invented = [
      `0x${"0".repeat(64)}`,
      `0x${"ab".repeat(32)}`,
      "",
      "0x",
      "x",
      `0x${"ab".repeat(33)}`,
      "a".repeat(64),
      `0x${"zz".repeat(32)}`,
    ];
    for (const token of invented) {
      refused(await validate(token), ROUTES.validate, 401, "token_invalid");
      refused(await search(token), ROUTES.search, 401, "token_invalid");
      refused(await close(token), ROUTES.close, 401, "token_invalid");
      refused(
        await server.call(ROUTES.store, { token }, { code: "a", topic: "b", payload: {} }),
        ROUTES.store,
        401,
        "token_invalid",
      );
      refused(
        await server.call(ROUTES.decode, { token }, { function: "set", inputdata: "0x" }),
        ROUTES.decode,
        401,
        "token_invalid",
      );
    }
  });

  it("two sessions work with one cookie jar: the token in the body counts", async () => {
    const tokens = [await server.login(), await server.login()];
    let jar = tokens[1];
    for (const [name, call] of [
      ["validate", validate],
      ["extend", extend],
    ] as const)
      for (const [index, token = ""] of tokens.entries()) {
        const response = await call(token, { Cookie: `a=b; svcauth=${jar}; c=d` });
        jar = cookie(response).value;
        tokens[index] = content(response, ROUTES[name]).tparams.tx;
      }
    for (const token of tokens) {
      content(await search(token), ROUTES.search);
      content(await close(token, { Cookie: `svcauth=${jar}` }), ROUTES.close);
    }
  });

  describe("of which a response got lost", () => {
    const key = (): Record<string, string> => ({ "Idempotency-Key": randomUUID() });

    it("goes on: the same call with the same key has the same successor, until that is replaced", async () => {
      const token = await server.login();
      const first = key();
      const validated = content(await validate(token, first), ROUTES.validate).tparams;
      assert.deepEqual(content(await validate(token, first), ROUTES.validate).tparams, validated);
      const second = key();
      const extended = content(await extend(validated.tx, second), ROUTES.extend).tparams;
      assert.deepEqual(content(await extend(validated.tx, second), ROUTES.extend).tparams, extended);
      assert.equal(extended.pkey, validated.pkey);
      content(await search(extended.tx), ROUTES.search);
      refused(await validate(token, first), ROUTES.validate, 401, "token_invalid");
      content(await close(extended.tx), ROUTES.close);
      refused(await extend(validated.tx, second), ROUTES.extend, 401, "token_invalid");
    });

    it("goes on when both calls are made at the same time", async () => {
      for (let round = 0; round < 3; round += 1) {
        const token = await server.login();
        const headers = key();
        const responses = await Promise.all(Array.from({ length: 4 }, () => validate(token, headers)));
        const successors = responses.map((response) => content(response, ROUTES.validate).tparams.tx);
        assert.lengthOf(new Set(successors), 1);
        content(await search(successors[0]), ROUTES.search);
      }
    });

    it("ends for a call without the key, with another one, and with that of another call", async () => {
      const token = await server.login();
      const headers = key();
      const { tx } = content(await validate(token, headers), ROUTES.validate).tparams;
      refused(await validate(token), ROUTES.validate, 401, "token_invalid");
      refused(await validate(token, key()), ROUTES.validate, 401, "token_invalid");
      refused(await extend(token, headers), ROUTES.extend, 401, "token_invalid");
      content(await extend(tx, headers), ROUTES.extend);
    });

    it("has keys that nobody guesses", async () => {
      const token = await server.login();
      for (const short of ["1", "a".repeat(15), "a".repeat(256), "with spaces in between"]) {
        const response = await validate(token, { "Idempotency-Key": short });
        assert.match(refused(response, ROUTES.validate, 400, "malformed"), /^Idempotency-Key: is not 16 to 255/);
      }
      content(await search(token), ROUTES.search);
    });
  });

  it("exactly one of two simultaneous validates with one token succeeds", async () => {
    for (let round = 0; round < 3; round += 1) {
      const token = await server.login();
      const responses = await Promise.all(Array.from({ length: 4 }, () => validate(token)));
      const won = responses.filter(({ status }) => status === 200);
      assert.lengthOf(won, 1);
      for (const lost of responses.filter((response) => response !== won[0]))
        refused(lost, ROUTES.validate, 401, "token_invalid");
      content(await search(won[0]?.body.content.tparams.tx), ROUTES.search);
    }
  });

  it("a simultaneous validate and close have one winner and leave no live token after a close", async () => {
    const token = await server.login();
    const [validated, closed] = await Promise.all([validate(token), close(token)]);
    assert.lengthOf(
      [validated, closed].filter(({ status }) => status === 200),
      1,
    );
    assert.equal((await search(token)).status, 401);
  });
});

describe("a short session", function () {
  let server: TestServer;
  /** The server's clock, which only the tests set forward. */
  let now = NaN;
  before(async () => {
    const variables = { SESSION_LIFETIME: "16" };
    const clock = (): number => (Number.isNaN(now) ? Date.now() : now);
    server = await startServer(variables, { overrides: { clock } });
    now = Date.now();
  });
  after(() => server.stop());

  it("keeps its expiry after a validate, rejects a late extension, and expires", async () => {
    const { tparams } = content(await server.call(ROUTES.auth, server.demo), ROUTES.auth);
    assert.oneOf(tparams.session, [15, 16]);
    now += 1_100;
    const validated = content(await server.call(ROUTES.validate, { token: tparams.tx }), ROUTES.validate);
    assert.isAtMost(validated.tparams.session, 15);
    const late = validated.tparams.tx;
    // A quarter of the lifetime or less is left, whatever the phase of the clock.
    now += 11_000;
    refused(await server.call(ROUTES.extend, { token: late }), ROUTES.extend, 409, "extend_refused");
    now += 4_500;
    refused(await server.call(ROUTES.validate, { token: late }), ROUTES.validate, 401, "token_expired");
    refused(await server.call(ROUTES.extend, { token: late }), ROUTES.extend, 401, "token_expired");
    refused(await server.call(ROUTES.close, { token: late }), ROUTES.close, 401, "token_expired");
    refused(
      await server.call(ROUTES.search, { token: late }, { search: { target: "1", value: "*" } }),
      ROUTES.search,
      401,
      "token_expired",
    );
    refused(
      await server.call(ROUTES.store, { token: late }, { code: "a", topic: "b", payload: {} }),
      ROUTES.store,
      401,
      "token_expired",
    );
    refused(
      await server.call(ROUTES.decode, { token: late }, { function: "set", inputdata: "0x" }),
      ROUTES.decode,
      401,
      "token_expired",
    );
  });

  it("lives longer than its lifetime when extended", async () => {
    let token = await server.login();
    for (let round = 0; round < 3; round += 1) {
      now += 8_000;
      token = content(await server.call(ROUTES.validate, { token }), ROUTES.validate).tparams.tx;
      const extended = content(await server.call(ROUTES.extend, { token }), ROUTES.extend).tparams;
      assert.oneOf(extended.session, [15, 16]);
      token = extended.tx;
    }
    now += 3_000;
    content(await server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } }), ROUTES.search);
  });
});

describe("attempts to log in and to store", function () {
  let server: TestServer;
  before(async () => {
    server = await startServer({ STORE_RATE: "3" }, { settings: { sessions: { loginAttemptsPerAddress: 3 } } });
  });
  after(() => server.stop());

  it("are limited per account when storing", async () => {
    const token = await server.login();
    const store = (token: string) => server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: {} });
    for (let n = 0; n < 3; n += 1) content(await store(token), ROUTES.store);
    const response = await store(token);
    refused(response, ROUTES.store, 429, "too_many_requests");
    assert.match(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    refused(await store(await server.login()), ROUTES.store, 429, "too_many_requests");
  });

  it("are not used up by successful logins", async () => {
    for (let n = 0; n < 4; n += 1) await server.login();
  });
});
