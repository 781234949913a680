import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { assert } from "chai";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import { HttpEndpoint } from "../../../../server/chain/rpc/http-endpoint.ts";
import { HttpRpc } from "../../../../server/chain/rpc/http-rpc.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { eventually } from "../../../support/eventually.ts";
import { failure, refused, unavailable } from "./failures.ts";

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

describe("JSON-RPC over HTTP", () => {
  const bodies: string[] = [];
  const requests: IncomingMessage[] = [];
  let respond: (response: ServerResponse, calls: readonly Call[], isBatch: boolean, request: IncomingMessage) => void;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      bodies.push(body);
      requests.push(request);
      const parsed = JSON.parse(body) as Call | Call[];
      respond(response, Array.isArray(parsed) ? parsed : [parsed], Array.isArray(parsed), request);
    });
  });
  let port: number;
  let rpc: Rpc;

  const resultOf = ({ id, method, params }: Call) => ({ jsonrpc: "2.0", id, result: [method, ...params] });
  const json = (response: ServerResponse, body: unknown, status = 200): void => {
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  };
  const normally: typeof respond = (response, calls, isBatch) => {
    const [first] = calls;
    json(response, isBatch ? calls.map(resultOf) : first && resultOf(first));
  };
  /** Responds to every call with this and the call's id. */
  const always = (body: unknown, status = 200): void => {
    respond = (response, [first]) =>
      json(
        response,
        typeof body === "object" && body !== null && !Array.isArray(body) ? { id: first?.id, ...body } : body,
        status,
      );
  };
  const many = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => rpc.call("echo", [n])));
  const expected = (count: number) => Array.from({ length: count }, (_, n) => ["echo", n]);
  const sizes = () => bodies.map((body) => (body.startsWith("[") ? (JSON.parse(body) as unknown[]).length : 1));

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  after((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
  beforeEach(() => {
    bodies.length = 0;
    requests.length = 0;
    respond = normally;
    rpc = connectRpc(`http://127.0.0.1:${port}/path?key=s3cret`, 1);
  });
  afterEach(() => rpc.close());

  it("waits as long as a node with a rate limit requires, with all of its calls", async () => {
    let rejections = 3;
    respond = (response, calls, isBatch, request) => {
      if (rejections === 0) return normally(response, calls, isBatch, request);
      rejections -= 1;
      response.writeHead(429, { "Retry-After": "0" }).end("slow down");
    };
    const first = rpc.call("echo", [0]);
    await eventually(async () => assert.isBelow(rejections, 3));
    assert.deepEqual<unknown>(await Promise.all([first, rpc.call("echo", [1])]), expected(2));
    assert.lengthOf(bodies, 5);
  });

  it("retries the calls that a node rejects in its response with a rate limit, and returns other limits", async () => {
    const limits = [
      { code: 429, message: "compute units exceeded" },
      { code: -32005, message: "project ID request rate exceeded" },
      { code: -32007, message: "50/second request limit reached" },
    ];
    const rejected = new Set<number>();
    respond = (response, calls) =>
      json(
        response,
        calls.map((call) => {
          const error = limits[calls.indexOf(call)];
          if (error === undefined || rejected.has(call.id)) return resultOf(call);
          rejected.add(call.id);
          return { jsonrpc: "2.0", id: call.id, error };
        }),
      );
    assert.deepEqual(await many(5), expected(5));
    assert.equal(rejected.size, 3);
    always({ error: { code: -32005, message: "query returned more than 10000 results" } });
    bodies.length = 0;
    assert.equal((await refused(rpc.call("eth_getLogs", []))).code, -32005);
    assert.lengthOf(bodies, 1);
  });

  it("sends a single call unchanged", async () => {
    assert.deepEqual(await rpc.call("echo", ["ü€😀", { a: [1] }]), ["echo", "ü€😀", { a: [1] }]);
    const { method, url, headers } = requests[0] ?? assert.fail();
    assert.deepEqual([method, url, headers["content-type"]], ["POST", "/path?key=s3cret", "application/json"]);
    const { id, ...rest } = JSON.parse(bodies[0] ?? "") as Call;
    assert.isNumber(id);
    assert.deepEqual(rest as object, { jsonrpc: "2.0", method: "echo", params: ["ü€😀", { a: [1] }] });
  });

  it("batches the calls of one event loop turn, up to the maximum", async () => {
    assert.deepEqual(await many(250), expected(250));
    assert.deepEqual(sizes().sort(), [100, 100, 50]);
    bodies.length = 0;
    const long = "x".repeat(600 * 1024);
    await Promise.all([1, 2, 3].map(() => rpc.call("echo", [long])));
    assert.deepEqual(sizes(), [1, 1, 1]);
  });

  it("reads without waiting for a node that takes long to accept a transaction", async () => {
    respond = (response, calls, isBatch, request) => {
      if (calls.every(({ method }) => method !== "eth_sendRawTransaction")) normally(response, calls, isBatch, request);
    };
    const sending = rpc.call("eth_sendRawTransaction", ["0x"]).catch(() => "closed");
    assert.deepEqual(await rpc.call("echo", [1]), ["echo", 1]);
    rpc.close();
    assert.equal(await sending, "closed");
  });

  it("assigns responses in any order to their calls", async () => {
    respond = (response, calls) => json(response, calls.map(resultOf).reverse());
    assert.deepEqual(await many(20), expected(20));
  });

  it("accepts ids that a gateway returns as text", async () => {
    respond = (response, calls) =>
      json(
        response,
        calls.map((call) => ({ ...resultOf(call), id: String(call.id) })),
      );
    assert.deepEqual(await many(3), expected(3));
  });

  it("waits for the rate limit of a whole batch", async () => {
    let rejections = 2;
    respond = (response, calls, isBatch, request) => {
      if (rejections === 0) return normally(response, calls, isBatch, request);
      rejections -= 1;
      json(response, { jsonrpc: "2.0", id: null, error: { code: -32_090, message: "call rate limit exhausted" } });
    };
    assert.deepEqual(await many(3), expected(3));
  });

  it("does not wait longer for a rate limit than its calls may take", async () => {
    respond = (response) => void response.writeHead(429, { "Retry-After": "60" }).end();
    const begin = performance.now();
    await unavailable(rpc.call("a", []));
    assert.isBelow(performance.now() - begin, 5_000);
  });

  it("fails only the calls without a response", async () => {
    respond = (response, calls) => {
      const [, second, third, fourth] = calls;
      json(response, [
        7,
        null,
        { jsonrpc: "2.0", id: 987_654, result: "of nobody" },
        second && resultOf(second),
        { jsonrpc: "2.0", id: third?.id, error: { code: -32000, message: "no" } },
        { jsonrpc: "2.0", id: fourth?.id },
      ]);
    };
    const [first, second, third, fourth] = [1, 2, 3, 4].map((n) => rpc.call("echo", [n]));
    await Promise.all([
      unavailable(first ?? assert.fail()),
      refused(third ?? assert.fail()),
      unavailable(fourth ?? assert.fail()),
      second?.then((result) => assert.deepEqual(result, ["echo", 2])),
    ]);
  });

  it("returns null for a null result", async () => {
    always({ result: null });
    assert.isNull(await rpc.call("echo", []));
    always({ result: 1, error: null });
    assert.equal(await rpc.call("echo", []), 1);
  });

  it("reduces the batch size for a node that rejects long batches", async () => {
    for (const most of [30, 1]) {
      respond = (response, calls, isBatch, request) =>
        calls.length > most
          ? json(
              response,
              { jsonrpc: "2.0", id: null, error: { code: -32600, message: "too long" } },
              most === 1 ? 400 : 200,
            )
          : normally(response, calls, isBatch, request);
      assert.deepEqual(await many(100), expected(100));
    }
    bodies.length = 0;
    await many(3);
    assert.deepEqual(sizes(), [1, 1, 1], "it was learned");
  });

  for (const [node, refuse] of [
    [
      "responds with one error in a list",
      (response: ServerResponse, [first]: readonly Call[]) =>
        json(response, [{ jsonrpc: "2.0", id: first?.id, error: { code: -32600, message: "batch too large" } }]),
    ],
    [
      "names the batch with a code of its own",
      (response: ServerResponse) =>
        json(
          response,
          { id: null, error: { code: 31, message: "Batch of more than 3 requests are not allowed" } },
          500,
        ),
    ],
    [
      "responds with Content Too Large",
      (response: ServerResponse) => void response.writeHead(413).end("<html>too large</html>"),
    ],
    [
      "counts the calls of a batch against its rate limit",
      (response: ServerResponse) => void response.writeHead(429).end("slow down"),
    ],
  ] as const)
    it(`divides the batches for a node that ${node}`, async () => {
      respond = (response, calls, isBatch, request) =>
        calls.length > 5 ? refuse(response, calls) : normally(response, calls, isBatch, request);
      assert.deepEqual(await many(10), expected(10));
      bodies.length = 0;
      assert.deepEqual(await many(10), expected(10));
      assert.deepEqual(sizes(), [5, 5], "it was learned");
    });

  it("fails every call with an error of the whole batch", async () => {
    always({ id: null, error: { code: -32603, message: "internal" } });
    for (const call of [rpc.call("a", []), rpc.call("b", [])].map(refused)) assert.equal((await call).code, -32603);
  });

  it("returns the node's errors, with revert data in any location", async () => {
    const cases: readonly (readonly [data: unknown, given: string | undefined])[] = [
      [undefined, undefined],
      ["0x", "0x"],
      ["0x08C379a0", "0x08C379a0"],
      ["Reverted 0x08c379a0", "0x08c379a0"],
      [{ message: "m", data: "0x12" }, "0x12"],
      [{ data: { data: "0x12" } }, "0x12"],
      ["0x1", undefined],
      ["text", undefined],
      [7, undefined],
      [null, undefined],
      [{ hash: "0x12" }, undefined],
    ];
    for (const [data, given] of cases) {
      for (const status of [200, 400, 500]) {
        always({ jsonrpc: "2.0", error: { code: 3, message: "execution reverted", data } }, status);
        const { name, code, message, data: found } = await refused(rpc.call("eth_call", []));
        assert.deepEqual(
          { name, code, message, found },
          { name: "NodeError", code: 3, message: "execution reverted", found: given },
        );
      }
    }
  });

  it("rejects malformed responses", async () => {
    const error = { jsonrpc: "2.0", error: { code: -32005, message: "slow down" } };
    for (const status of [429, 502, 503, 504]) {
      always(error, status);
      assert.include(await unavailable(rpc.call("a", [])), `HTTP ${status}`);
    }
    for (const status of [200, 400, 401, 403, 404, 500]) {
      for (const body of [
        "gone",
        null,
        7,
        [],
        {},
        { error: "bad key s3cret" },
        { error: { message: "s3cret" } },
        { id: "other", result: 1 },
      ]) {
        always(body, status);
        await Promise.all([unavailable(rpc.call("a", [])), unavailable(rpc.call("b", []))]);
        await unavailable(rpc.call("a", []));
      }
    }
    for (const body of ["", "<html>s3cret</html>", '{"jsonrpc":', "undefined"]) {
      respond = (response) => response.end(body);
      await unavailable(rpc.call("a", []));
    }
  });

  it("follows no redirects", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      respond = (response) => response.writeHead(status, { Location: `http://127.0.0.1:${port}/elsewhere` }).end();
      assert.include(await unavailable(rpc.call("a", [])), `HTTP ${status}`);
    }
    assert.lengthOf(bodies, 5);
  });

  it("reports a lost connection, before or within a response, and continues with the next call", async () => {
    respond = (_response, _calls, _isBatch, { socket }) => socket.destroy();
    await Promise.all([unavailable(rpc.call("a", [])), unavailable(rpc.call("b", []))]);
    respond = (response, _calls, _isBatch, { socket }) => {
      response.writeHead(200, { "Content-Length": 1_000 }).write("{", () => socket.destroy());
    };
    await unavailable(rpc.call("a", []));
    respond = normally;
    assert.deepEqual(await rpc.call("a", []), ["a"]);
  });

  it("retries a call on a closing kept-alive connection", async () => {
    await rpc.call("first", []);
    const used = requests[0]?.socket;
    respond = (response, calls, isBatch, request) =>
      request.socket === used ? request.socket.resetAndDestroy() : normally(response, calls, isBatch, request);
    assert.deepEqual(await rpc.call("second", []), ["second"]);
    assert.strictEqual(requests[1]?.socket, used, "the connection was kept");
  });

  it("has a timeout", async () => {
    const hasty = new HttpRpc(new HttpEndpoint(new URL(`http://127.0.0.1:${port}`), { timeoutMilliseconds: 50 }), 1);
    respond = () => undefined;
    assert.include(await unavailable(hasty.call("a", [])), "within 0.05 s");
    respond = (response) => void response.write("{");
    assert.include(await unavailable(hasty.call("a", [])), "within 0.05 s");
    hasty.close();
  });

  it("rejects a response without an end", async () => {
    respond = (response) => {
      const chunk = Buffer.alloc(1024 * 1024, " ");
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    };
    assert.include(await unavailable(rpc.call("a", [])), "bytes");
  });

  it("rejects a long response to a call whose responses are short", async () => {
    always({ result: "0".repeat(1024 * 1024) });
    for (const [method, ...parameters] of [["eth_call"], ["eth_getBlockByNumber", "0x1", false]])
      assert.equal(
        await unavailable(rpc.call(String(method), parameters)),
        "the node's response has more than 1048576 bytes",
      );
  });

  it("accepts ten full blocks of rows in one response", async () => {
    // 30 million gas, at 24 gas for each logged byte of call data.
    const receipts = Array.from({ length: 10 * 300 }, () => ({
      status: "0x1",
      logsBloom: "0x",
      data: "ab".repeat(4_166),
    }));
    always({ result: receipts });
    assert.deepEqual(await rpc.call("eth_getBlockReceipts", ["0x1"]), receipts);
  });

  // Security, node: the node cannot fill the server's memory with one response
  it("rejects a response of very many values before it is parsed", async () => {
    for (const [value, count] of [
      ["{}", 10_000_000],
      ["[[]]", 4_000_000],
      ["0", 12_000_000],
    ] as const) {
      respond = (response, [first]) =>
        void response.end(`{"id":${first?.id},"result":[${`${value},`.repeat(count)}${value}]}`);
      assert.match(await unavailable(rpc.call("eth_getLogs", [{}])), /has \d{7,} values in \d+ characters$/);
    }
  });

  it("divides a batch whose responses are too long together", async () => {
    const result = "0".repeat(20 * 1024 * 1024);
    respond = (response, calls, isBatch) => {
      const results = calls.map(({ id }) => ({ id, result }));
      json(response, isBatch ? results : results[0]);
    };
    const calls = [1, 2, 3].map((block) => rpc.call("eth_getBlockReceipts", [block]));
    for (const call of calls) assert.equal(await call, result);
    assert.deepEqual(sizes().sort(), [1, 1, 1, 3]);
  });

  it("sends name and password to the node, and keeps them out of errors", async () => {
    const secured = connectRpc(`http://us%40er:s3cret%3A@127.0.0.1:${port}/?apikey=s3cret`, 1);
    await secured.call("a", []);
    const credentials = requests[0]?.headers.authorization?.replace("Basic ", "") ?? "";
    assert.equal(Buffer.from(credentials, "base64").toString(), "us@er:s3cret:");
    respond = (response) => response.writeHead(401).end("no s3cret");
    await unavailable(secured.call("a", []));
    secured.close();
    for (const url of ["http://user:s3cret@127.0.0.1:9/?k=s3cret", "https://u:s3cret@nowhere.invalid"]) {
      const nowhere = connectRpc(url, 1);
      await unavailable(nowhere.call("a", []));
      nowhere.close();
    }
    for (const url of ["ftp://user:s3cret@host", "http://user:s3cret@", "s3cret", "ws://s3cret"]) {
      await failure((async () => connectRpc(url, 1))());
    }
  });

  it("fails the calls in flight on close, and all later calls", async () => {
    respond = () => rpc.close();
    const calls = [rpc.call("a", []), rpc.call("b", [])].map(unavailable);
    for (const reason of await Promise.all(calls)) assert.include(reason, "closed");
    await unavailable(rpc.call("a", []));
  });

  it("queues calls when all connections are in use, and fails the queued calls on close", async () => {
    respond = () => undefined;
    // Too long to share a request.
    const long = "x".repeat(600 * 1024);
    const failures = Array.from({ length: 66 }, () => unavailable(rpc.call("echo", [long])));
    await eventually(async () => assert.lengthOf(bodies, 64));
    rpc.close();
    await Promise.all(failures);
  });
});
