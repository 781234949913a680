import { assert } from "chai";
import { refused } from "../../support/envelope.ts";
import type { HttpResponse } from "../../support/http.ts";
import { sendRaw } from "../../support/raw.ts";
import { ROUTES, startServer, type TestServer } from "../../support/server.ts";

type Json = Record<string, unknown>;

/** What is no text of any use, whatever field it stands in. */
const NOT_TEXT: readonly (readonly [what: string, value: unknown])[] = [
  ["null", null],
  ["a number", 1],
  ["true", true],
  ["a list", ["1"]],
  ["an object", { "1": 1 }],
];
const NOT_AN_OBJECT: readonly (readonly [what: string, value: unknown])[] = [
  ["null", null],
  ["a number", 1],
  ["a text", "{}"],
  ["true", true],
  ["a list", [{}]],
];
const NOT_A_TEXT_OF_1_TO_256 = [
  ...NOT_TEXT,
  ["empty", ""],
  ["too long", "x".repeat(257)],
  ["much too long", "x".repeat(10_000)],
] as const;

describe("input of the record store API", function () {
  let server: TestServer;
  let token: string;
  before(async () => {
    server = await startServer(
      { SESSION_LIFETIME: "3600" },
      { settings: { sessions: { loginAttemptsPerAddress: 1000, loginAttemptsPerSource: 1000 } } },
    );
    token = await server.login();
  });
  after(() => server.stop());
  afterEach(async () => {
    const response = await server.call(ROUTES.search, { token }, { search: { target: "1", value: "none" } });
    assert.equal(response.status, 200, "the server still responds, and the session is live");
  });

  const good: Record<string, () => Json> = {
    [ROUTES.auth]: () => ({ credentials: { ...server.demo }, method: "GET", route: ROUTES.auth }),
    [ROUTES.validate]: () => ({ credentials: { token }, method: "GET", route: ROUTES.validate }),
    [ROUTES.extend]: () => ({ credentials: { token }, method: "GET", route: ROUTES.extend }),
    [ROUTES.close]: () => ({ credentials: { token }, method: "GET", route: ROUTES.close }),
    [ROUTES.store]: () => ({
      credentials: { token },
      method: "GET",
      route: ROUTES.store,
      payload: { code: "c", topic: "t", payload: { a: 1 } },
    }),
    [ROUTES.search]: () => ({
      credentials: { token },
      method: "GET",
      route: ROUTES.search,
      payload: { search: { target: "1", value: "*" } },
    }),
    [ROUTES.decode]: () => ({
      credentials: { token },
      method: "GET",
      route: ROUTES.decode,
      payload: { function: "set", inputdata: "0x" },
    }),
  };
  const send = (body: unknown, headers: Record<string, string> = {}) => server.post("/api", body, headers);

  /** A copy of a body in which one field is another, or is missing. */
  const changed = (body: Json, path: string, value: unknown): Json => {
    const copy = structuredClone(body);
    const steps = path.split(".");
    const last = steps.pop() ?? "";
    let target: Json = copy;
    for (const step of steps) target = target[step] as Json;
    if (value === undefined) delete target[last];
    else target[last] = value;
    return copy;
  };

  const refusedNaming = (response: HttpResponse, path: string): void => {
    assert.equal(response.status, 400, response.text);
    assert.strictEqual(response.body.status, 0);
    assert.equal(response.body.content.error.code, "malformed");
    assert.include(response.body.msg, ` fetch is failed: ${response.body.content.error.message}`);
    assert.isNotEmpty(response.body.content.error.details);
    const paths = response.body.content.error.details.map((detail: { path: string }) => detail.path);
    assert.isTrue(
      paths.some((named: string) => named === path || named.startsWith(`${path}.`)),
      `${path} is named: ${response.text}`,
    );
  };

  const refuses = (route: string, path: string, cases: readonly (readonly [what: string, value: unknown])[]): void => {
    it(`${route} rejects ${path} that is missing, ${cases.map(([what]) => what).join(", ")}`, async () => {
      for (const [, value] of [["missing", undefined], ...cases] as const) {
        refusedNaming(await send(changed(good[route]?.() ?? {}, path, value)), path);
      }
    });
  };

  for (const route of Object.values(ROUTES)) {
    refuses(route, "credentials", NOT_AN_OBJECT);
    refuses(route, "method", [
      ...NOT_TEXT,
      ["POST", "POST"],
      ["in lower case", "get"],
      ["empty", ""],
      ["GET with a space", "GET "],
    ]);
    if (route !== ROUTES.auth) refuses(route, "credentials.token", NOT_TEXT);
  }
  refuses(ROUTES.auth, "credentials.login", [
    ...NOT_TEXT,
    ["empty", ""],
    ["without 0x", "1".repeat(40)],
    ["too short", `0x${"1".repeat(39)}`],
    ["too long", `0x${"1".repeat(41)}`],
    ["not hex", `0x${"g".repeat(40)}`],
    ["with a line break", `0x${"1".repeat(40)}\n`],
    ["a name", "admin"],
    ["SQL", "' or 1=1 --"],
  ]);
  refuses(ROUTES.auth, "credentials.password", [...NOT_TEXT, ["empty", ""], ["too long", "x".repeat(20_000)]]);
  for (const route of [ROUTES.store, ROUTES.search, ROUTES.decode]) refuses(route, "payload", NOT_AN_OBJECT);
  refuses(ROUTES.store, "payload.code", NOT_A_TEXT_OF_1_TO_256);
  refuses(ROUTES.store, "payload.topic", NOT_A_TEXT_OF_1_TO_256);
  refuses(ROUTES.store, "payload.payload", NOT_AN_OBJECT);
  refuses(ROUTES.search, "payload.search", NOT_AN_OBJECT);
  refuses(ROUTES.search, "payload.search.target", [
    ...NOT_TEXT,
    ["empty", ""],
    ["0", "0"],
    ["3", "3"],
    ["code", "code"],
    ["1 with a space", "1 "],
  ]);
  refuses(ROUTES.search, "payload.search.value", [...NOT_TEXT, ["too long", "x".repeat(30_000)]]);
  refuses(ROUTES.decode, "payload.function", [
    ...NOT_TEXT,
    ["empty", ""],
    ["another", "update"],
    ["upper case", "SET"],
    ["a built-in name", "constructor"],
  ]);
  refuses(ROUTES.decode, "payload.inputdata", NOT_TEXT);

  it("search rejects an invalid limit and cursor", async () => {
    const search = (more: Json) =>
      server.call(ROUTES.search, { token }, { search: { target: "1", value: "*", ...more } });
    for (const limit of [0, -1, 10_001, 1.5, "10", null, true, [], {}, 2 ** 53]) {
      refusedNaming(await search({ limit }), "payload.search.limit");
    }
    for (const cursor of ["", "x", "-1", "1.5", "0x1", null, true, [], {}, "9".repeat(400)]) {
      refusedNaming(await search({ cursor }), "payload.search.cursor");
    }
    for (const limit of [1, 10_000]) assert.equal((await search({ limit })).status, 200);
  });

  it("limits the characters of texts by code points", async () => {
    const longest = "\u{1f512}".repeat(256);
    for (const payload of [
      { code: longest, topic: longest, payload: {} },
      { code: "x", topic: "y", payload: {} },
    ]) {
      assert.equal((await server.call(ROUTES.store, { token }, payload)).status, 200);
      const { body } = await server.call(ROUTES.search, { token }, { search: { target: "2", value: payload.topic } });
      assert.deepEqual(
        body.content.tparams.events.map((event: string[]) => [event[1], event[4]]),
        [[payload.code, payload.topic]],
      );
    }
    for (const field of ["code", "topic"]) {
      refusedNaming(
        await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: {}, [field]: `${longest}x` }),
        `payload.${field}`,
      );
    }
    assert.equal(
      (await server.call(ROUTES.auth, { login: `0x${"1".repeat(40)}`, password: "\u{1f512}".repeat(1024) })).status,
      401,
    );
    refusedNaming(
      await server.call(ROUTES.auth, { ...server.demo, password: "\u{1f512}".repeat(1025) }),
      "credentials.password",
    );
  });

  it("has a response with its route for any fault", async () => {
    const body = good[ROUTES.store]?.() ?? {};
    const faults: readonly (readonly [path: string, value: unknown])[] = [
      ["payload.code", 1],
      ["payload.code", "x".repeat(257)],
      ["payload.payload.a", "\ud800"],
      ["method", "POST"],
      ["credentials", undefined],
      ["credentials", null],
    ];
    for (const [path, value] of faults) refused(await send(changed(body, path, value)), ROUTES.store, 400, "malformed");
  });

  it("has errors with the original names, several at once", async () => {
    const response = await server.call(ROUTES.store, { token }, { code: 1, payload: [] });
    const paths = response.body.content.error.details.map((detail: { path: string }) => detail.path).sort();
    assert.deepEqual(paths, ["payload.code", "payload.payload", "payload.topic"]);
    for (const path of paths) assert.include(response.body.msg, path);
  });

  it("with a missing or unknown route has a response in the envelope", async () => {
    for (const route of [
      "",
      "x",
      "/api/admin",
      "/api/admin/auth/",
      "/API/ADMIN/AUTH",
      "constructor",
      "__proto__",
      "toString",
      "ü".repeat(60),
    ]) {
      refused(await server.call(route, { token }), route, 404, "not_found");
      for (const body of [{ method: "GET", route }, { route }, { credentials: 1, method: "POST", route }]) {
        refused(await send(body), route, 404, "not_found");
      }
    }
    for (const route of [undefined, null, 1, [], {}]) {
      const response = await send({ credentials: { token }, method: "GET", route });
      assert.equal(response.status, 400, response.text);
      assert.equal(response.body.status, 0);
      assert.include(response.body.msg, "fetch is failed: ");
      assert.include(response.body.msg, "route");
    }
  });

  it("that is no JSON object has a response in the envelope", async () => {
    const bodies = [
      "",
      " ",
      "null",
      "true",
      "0",
      "-1.5",
      '""',
      '"text"',
      "[]",
      "[1]",
      "[{}]",
      "{}",
      "{",
      "}",
      "{]",
      "nul",
      "<xml/>",
      "{'a':1}",
      '{"a":1}}',
      '{"a":01}',
      '{"a":NaN}',
      "\uFEFF{}",
      '{"a":"\u0001"}',
      '{"a":1,}',
      "undefined",
      "[".repeat(5000),
      '{"a":'.repeat(5000),
    ];
    for (const body of bodies) {
      const response = await send(body);
      assert.equal(response.status, 400, `${body.slice(0, 20)}: ${response.text}`);
      assert.equal(response.body?.status, 0, response.text);
      assert.equal(response.body.content.error.code, "malformed");
      assert.include(response.body.msg, "fetch is failed: ");
    }
  });

  it("larger than 64 KiB is rejected as too large", async () => {
    const sized = (bytes: number) => {
      const body = JSON.stringify({ ...good[ROUTES.close]?.(), route: "/none", filler: "" });
      return body.replace('"filler":""', `"filler":"${"x".repeat(bytes - body.length)}"`);
    };
    assert.equal((await send(sized(64 * 1024))).status, 404);
    const filler = "y".repeat(66_000);
    const others = [
      { x: filler },
      { route: 1, x: filler },
      { ...good[ROUTES.close]?.(), x: filler },
      { route: ROUTES.decode, x: "y".repeat(300_000) },
      filler,
      `{"x":"${filler}`,
    ];
    for (const body of [sized(64 * 1024 + 1), sized(1024 * 1024), ...others]) {
      const response = await send(body);
      assert.equal(response.status, 413, response.text);
      assert.equal(response.body.status, 0);
      assert.equal(response.body.content.error.code, "too_large");
    }
  });

  it("with deep nesting, repeated keys or half characters is rejected and not changed", async () => {
    const payload = (text: string) =>
      `{"credentials":{"token":"${token}"},"method":"GET","route":"${ROUTES.store}",` +
      `"payload":{"code":"odd","topic":"t","payload":${text}}}`;
    const faulty = [
      `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`,
      `{"a":${"[".repeat(2000)}${"]".repeat(2000)}}`,
      '{"a":1,"a":1}',
      '{"a":"\\ud800"}',
      '{"a":"\\udc00\\ud800"}',
      '{"\\ud800":1}',
      '{"a":["x\\udfff"]}',
      '{"__proto__":{"a":1}}',
    ];
    for (const text of faulty) {
      const response = await send(payload(text));
      assert.equal(response.status, 400, response.text);
      assert.equal(response.body.content.error.code, "malformed");
      assert.isNotEmpty(response.body.content.error.details, text.slice(0, 30));
    }
    for (const field of ["code", "topic"]) {
      const body = payload("{}").replace(`"${field}":"`, `"${field}":"\\ud800`);
      refusedNaming(await send(body), `payload.${field}`);
    }
    const { body } = await server.call(ROUTES.search, { token }, { search: { target: "1", value: "*odd*" } });
    assert.isEmpty(body.content.tparams.events);
  });

  it("in bytes that are not UTF-8 is not stored as something else", async () => {
    const body = JSON.stringify({
      ...good[ROUTES.store]?.(),
      payload: { code: "latin1 \u00ff", topic: "t", payload: {} },
    });
    const response = await server.get("/api", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: Buffer.from(body, "latin1"),
    });
    const found = await server.call(ROUTES.search, { token }, { search: { target: "1", value: "latin1*" } });
    const [event] = found.body.content.tparams.events;
    assert.isUndefined(event, `stored as ${JSON.stringify(event?.[1])}`);
    assert.equal(response.status, 400, response.text);
  });

  it("with a key of the object prototype does not affect the server's objects", async () => {
    for (const key of ["constructor", "toString", "hasOwnProperty", "prototype"]) {
      assert.equal(
        (await server.call(ROUTES.store, { token }, { code: "keys", topic: "t", payload: { [key]: key } })).status,
        200,
      );
    }
    const { body } = await server.call(ROUTES.search, { token }, { search: { target: "1", value: "keys" } });
    const payloads = body.content.tparams.events.map((event: string[]) =>
      JSON.parse(Buffer.from(event[3] ?? "", "base64").toString()),
    );
    assert.deepEqual(
      payloads.map((payload: object) => Object.entries(payload)),
      [
        [["prototype", "prototype"]],
        [["hasOwnProperty", "hasOwnProperty"]],
        [["toString", "toString"]],
        [["constructor", "constructor"]],
      ],
    );
  });

  it("is accepted by POST only", async () => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH", "HEAD"]) {
      const response = await server.get("/api", { method });
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get("allow"), "POST");
      if (method === "HEAD") continue;
      assert.equal(response.body?.status, 0);
      assert.equal(response.body.content.error.code, "method_not_allowed");
    }
    const options = await server.get("/api", { method: "OPTIONS" });
    assert.oneOf(options.status, [200, 204, 405]);
    assert.include(options.headers.get("allow") ?? "", "POST");
  });

  it("is accepted as application/json only", async () => {
    const body = JSON.stringify(good[ROUTES.search]?.());
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "text/html",
      "application/xml",
      "nonsense",
      "",
    ]) {
      const response = await send(body, { "Content-Type": type });
      assert.equal(response.status, 415, `${type}: ${response.text}`);
      assert.equal(response.body.content.error.code, "unsupported_media_type");
    }
    for (const type of ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"]) {
      assert.equal((await send(body, { "Content-Type": type })).status, 200, type);
    }
    for (const [headers, expected] of [
      [{ "Content-Type": "application/json; charset=x-unknown" }, 415],
      [{ "Content-Encoding": "x-unknown" }, 415],
      [{ "Content-Encoding": "gzip" }, 400],
    ] as const) {
      const response = await send(body, headers);
      assert.equal(response.status, expected, response.text);
      assert.equal(response.body.status, 0);
    }
  });

  it("below an unknown path has a JSON response", async () => {
    for (const path of ["/api/x", "/api/admin/auth", "/x", "/index.html", "/%", "/api/%ff", "//", "/api//x"]) {
      for (const method of ["GET", "POST"]) {
        const response = await server.get(path, { method });
        assert.oneOf(response.status, [400, 404, 405], `${method} ${path}: ${response.text}`);
        assert.match(response.headers.get("content-type") ?? "", /json/, `${method} ${path}`);
      }
    }
  });

  it("of malformed HTTP is rejected without effect", async () => {
    const head = "POST /api HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    const broken = [
      "\r\n\r\n\r\n",
      "x\r\n\r\n",
      "\0\0\0\0",
      `${head}Content-Length: 100\r\n\r\n{}`,
      `${head}Content-Length: -1\r\n\r\n{}`,
      `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`,
      `${head}Cookie: ${"a=b; ".repeat(10_000)}\r\n\r\n`,
      `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
    ];
    for (const bytes of broken) {
      const response = await sendRaw(server.url, bytes, true);
      assert.notMatch(response, /^HTTP\/1\.1 (2|5)\d\d/, bytes.slice(0, 40));
      assert.notInclude(response, "<html");
      assert.notInclude(response, "at ", "no stack");
    }
  });

  it("has responses without internals", async () => {
    const responses = [
      await send("{"),
      await send("\ud800"),
      await server.get("/api/v1/proof/%E0%A4%A"),
      await send({ route: 1 }),
    ];
    for (const { text, headers } of responses) {
      assert.notMatch(text, /node_modules|\.ts:|\.js:|at \w+ \(|node:internal|\/work\//);
      assert.isNull(headers.get("x-powered-by"));
    }
  });
});
