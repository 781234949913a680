import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { AbiCoder, concat, hexlify, id, keccak256, randomBytes, toUtf8Bytes, Wallet } from "ethers";
import { ExplorerClient } from "../../client/index.ts";
import { EventTable__factory } from "../../typechain-types/factories/EventTable__factory.ts";
import { ProofAnchor__factory } from "../../typechain-types/factories/ProofAnchor__factory.ts";
import { SessionRegistry__factory } from "../../typechain-types/factories/SessionRegistry__factory.ts";
import type { HttpResponse } from "../support/http.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { rpcCall } from "../support/rpc.ts";
import { signRowFor } from "../support/signed-row.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { thrownBy } from "../support/thrown.ts";

const SECRET = "contract of which nobody may know";
const hash = (): string => hexlify(randomBytes(32));

function problem({ status, headers, body, text }: HttpResponse, expected: number, path?: string): void {
  assert.equal(status, expected, text);
  assert.match(headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.equal(body.status, expected);
  if (path !== undefined) assert.equal(body.errors[0].path, path);
}

describe("the explorer", function () {
  let server: TestServer;
  let contracts: Record<"SessionRegistry" | "EventTable" | "ProofAnchor", string>;
  let administrator: Wallet;
  let one: ParsedJson;
  let batch: ParsedJson;
  let token: string;
  let sessionId: string;
  const documentHash = hash().slice(2);
  /** The bodies of all responses. */
  const bodies: string[] = [];

  const request = async (path: string): Promise<HttpResponse> => {
    const response = await server.get(`/explorer/api${path}`);
    bodies.push(response.text);
    return response;
  };
  const explore = async (path: string): Promise<ParsedJson> => {
    const response = await request(path);
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  /** Sends a transaction with the administrator's key, and waits until it is mined. */
  const send = async (to: string, data: string): Promise<string> => {
    const nonce = Number(await rpcCall(server.chainUrl, "eth_getTransactionCount", administrator.address, "latest"));
    const raw = await administrator.signTransaction({
      type: 0,
      chainId: 7325,
      nonce,
      to,
      data,
      gasLimit: 1_000_000,
      gasPrice: 0n,
    });
    const sent = await rpcCall(server.chainUrl, "eth_sendRawTransaction", raw);
    while ((await rpcCall(server.chainUrl, "eth_getTransactionReceipt", sent)) === null);
    return sent;
  };

  before(async () => {
    server = await startServer(
      {
        TRUSTED_PROXIES: "127.0.0.1",
        SESSION_LIFETIME: "3600",
        CHAIN_PORT_SEND: "on",
      },
      { settings: { explorer: { rate: 300 } } },
    );
    administrator = new Wallet(JSON.parse(readFileSync(join(server.directory, "keys.json"), "utf8")).administrator);
    one = (
      await server.post("/api/v1/proof", {
        document_id: SECRET,
        hash: documentHash,
        metadata: { type: "secret kind", source: "secret source" },
      })
    ).body;
    const documents = [1, 2, 3].map((number) => ({ document_id: `${SECRET} ${number}`, hash: hash() }));
    batch = (await server.post("/api/v1/proof/batch", { documents })).body;
    ({ contracts } = await explore("/chain"));
  });
  after(() => server.stop());

  it("returns the chain and the addresses of its contracts", async () => {
    const chain = await explore("/chain");
    assert.equal(chain.chain_id, 7325);
    assert.equal(chain.contracts.ProofAnchor, one.proof.contract);
    assert.equal(chain.head.number, Number(await rpcCall(server.chainUrl, "eth_blockNumber")));
  });

  it("lists blocks and anchors, newest first, page by page", async () => {
    for (const [list, name] of [
      ["blocks", "number"],
      ["transactions", "hash"],
      ["anchors", "hash"],
    ] as const) {
      const whole = (await explore(`/${list}?limit=100`))[list];
      const paged: ParsedJson[] = [];
      let cursor = "";
      do {
        const page = await explore(`/${list}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
        paged.push(...page[list]);
        cursor = page.next ?? "";
      } while (cursor !== "");
      assert.deepEqual(
        paged.map((item) => item[name]),
        whole.map((item: ParsedJson) => item[name]),
      );
    }
    const { anchors } = await explore("/anchors");
    assert.deepEqual(
      anchors.map(({ hash, size, tx_hash }: ParsedJson) => [hash, size, tx_hash]),
      [
        [batch.batch.root, 3, batch.batch.tx_hash],
        [`0x${one.id}`, 0, one.proof.tx_hash],
      ],
    );
  });

  it("shows a block by number and by hash", async () => {
    const block = await explore(`/blocks/${one.proof.block_number}`);
    assert.deepEqual(await explore(`/blocks/${one.proof.block_hash}`), block);
    assert.equal(block.timestamp, one.proof.timestamp);
    assert.equal(block.proposer.name, "embedded");
    assert.deepEqual(
      block.transactions.map(({ hash, kind, function: name, status }: ParsedJson) => [hash, kind, name, status]),
      [[one.proof.tx_hash, "anchor", "anchor", "succeeded"]],
    );
    assert.equal((await explore(`/blocks/${block.number - 1}`)).hash, block.parent_hash);
    assert.deepEqual((await explore("/blocks/0")).transactions, []);
  });

  it("shows the anchored hash of a transaction, and its first anchor", async () => {
    const single = await explore(`/transactions/${one.proof.tx_hash}`);
    assert.equal(single.status, "succeeded");
    assert.deepEqual(single.action, {
      kind: "anchor",
      hash: `0x${one.id}`,
      size: 0,
      first: { block_number: one.proof.block_number, timestamp: one.proof.timestamp, size: 0 },
    });
    assert.equal(single.call.signature, "anchor(bytes32)");
    assert.deepEqual(
      single.logs.map(({ event }: ParsedJson) => event.name),
      ["Anchored"],
    );
    const many = await explore(`/transactions/${batch.batch.tx_hash.slice(2).toUpperCase()}`);
    assert.deepEqual([many.action.hash, many.action.size], [batch.batch.root, 3]);
    assert.equal(many.block.hash, batch.batch.block_hash);
  });

  it("shows an anchor and its transaction", async () => {
    const anchor = await explore(`/anchors/${batch.batch.root}`);
    assert.deepEqual(
      [anchor.size, anchor.tx_hash, anchor.block.number],
      [3, batch.batch.tx_hash, batch.batch.block_number],
    );
    problem(await request(`/anchors/${batch.proofs[0].proof.record_hash}`), 404);
  });

  // Security, explorer: can read every record and its signer's address; they are on chain in plain text
  it("decodes a record and recovers its signer", async () => {
    token = await server.login();
    await server.call(ROUTES.store, { token }, { code: "station-1", topic: "PM2.5", payload: { sensorvalue: 12.5 } });
    const { activity } = await explore(`/addresses/${server.demo.login}/activity`);
    assert.deepEqual(
      activity.map(({ event }: ParsedJson) => event.name),
      ["RowWritten", "SessionOpened", "AccountEnrolled"],
    );
    const { action, call, from } = await explore(`/transactions/${activity[0].tx_hash}`);
    assert.deepEqual(action.row, {
      row_id: "1",
      sender: server.demo.login,
      code: "station-1",
      created_at: action.row.created_at,
      payload: { sensorvalue: 12.5 },
      payload_base64: Buffer.from('{"sensorvalue":12.5}').toString("base64"),
      topic: "PM2.5",
      format: "1",
    });
    assert.deepEqual([action.signer, action.on_chain, action.overwrites], [server.demo.login, "current", false]);
    assert.equal(call.function, "insert");
    assert.notEqual(from, server.demo.login);
    const session = await explore(`/transactions/${activity[1].tx_hash}`);
    sessionId = `${server.demo.login.toLowerCase()}${keccak256(token).slice(2, 26)}`;
    assert.deepEqual(session.action, {
      kind: "session",
      step: "open",
      session: sessionId,
      account: server.demo.login,
      token_hash: keccak256(token),
    });
    await server.call(ROUTES.validate, { token });
    const { activity: events } = await explore(`/addresses/${contracts.SessionRegistry}/activity?limit=1`);
    const validated = (await explore(`/transactions/${events[0].tx_hash}`)).action;
    assert.deepEqual(
      [validated.step, validated.session, validated.account, validated.token_hash],
      ["validate", sessionId, server.demo.login, keccak256(token)],
    );
    assert.notEqual(validated.new_token_hash, validated.token_hash);
  });

  it("shows overwritten rows, invalid records and reverted calls", async () => {
    const table = EventTable__factory.createInterface();
    const account = new Wallet(hexlify(randomBytes(32)));
    const row = async (name: "insert" | "set", text: string): Promise<string> => {
      const placed = ["elsewhere", 7n, toUtf8Bytes(text), false] as const;
      const signature = await signRowFor(server.chainUrl, contracts.EventTable, account, placed);
      return table.encodeFunctionData(name as "set", [...placed, signature]);
    };
    const refused = await send(contracts.EventTable, await row("insert", "x"));
    const { status, reason, action } = await explore(`/transactions/${refused}`);
    assert.deepEqual([status, action.on_chain], ["reverted", "missing"]);
    assert.match(reason, /^AccessControlUnauthorizedAccount\(0x/);

    await send(
      contracts.EventTable,
      table.encodeFunctionData("grantRole", [id("RELAYER_ROLE"), administrator.address]),
    );
    await send(
      contracts.SessionRegistry,
      SessionRegistry__factory.createInterface().encodeFunctionData("enroll", [account.address, 2]),
    );
    const first = await send(contracts.EventTable, await row("insert", "not seven segments"));
    assert.equal((await explore(`/transactions/${first}`)).action.on_chain, "current");
    const payload = Buffer.from('{"a":1.0}').toString("base64");
    const second = await send(
      contracts.EventTable,
      await row("set", `7|${account.address}|c%7Cd|today|${payload}|t|1`),
    );
    const [replaced, written] = [
      (await explore(`/transactions/${first}`)).action,
      (await explore(`/transactions/${second}`)).action,
    ];
    assert.deepEqual([replaced.on_chain, replaced.signer, replaced.row], ["overwritten", account.address, undefined]);
    assert.match(replaced.fault, /1 segments instead of 7/);
    assert.deepEqual(
      [written.on_chain, written.overwrites, written.row.code, written.row.payload],
      ["current", true, "c|d", { a: 1 }],
    );
    assert.include((await request(`/transactions/${second}`)).text, '"payload":{"a":1.0}');
  });

  it("decodes call data that nobody sent, and compares them with the chain", async () => {
    const decode = async (input: string): Promise<HttpResponse> => {
      const response = await server.post("/explorer/api/decode", { input });
      bodies.push(response.text);
      return response;
    };
    const { activity } = await explore(`/addresses/${server.demo.login}/activity`);
    const written = activity.find(({ event }: ParsedJson) => event.name === "RowWritten");
    const { input, action, call } = await explore(`/transactions/${written.tx_hash}`);
    const { status, body } = await decode(input.toUpperCase().replace("0X", "0x"));
    assert.deepEqual([status, body], [200, { action, call }]);
    assert.include(body.action.checks, { passed: true, binding: "place", signer: server.demo.login });
    assert.deepInclude(body.action.record, { verdict: "original", tx_hash: written.tx_hash });
    const account = new Wallet(hexlify(randomBytes(32)));
    const placed = ["elsewhere", 99n, toUtf8Bytes("not seven segments"), false] as const;
    const signature = await signRowFor(server.chainUrl, contracts.EventTable, account, placed);
    const table = EventTable__factory.createInterface();
    const unsent = (await decode(table.encodeFunctionData("insert", [...placed, signature]))).body;
    assert.deepEqual(
      [unsent.action.on_chain, unsent.action.signer, unsent.action.record],
      ["missing", account.address, null],
    );
    const anchor = hash();
    const anchoring = ProofAnchor__factory.createInterface().encodeFunctionData("anchor", [anchor]);
    assert.deepEqual((await decode(anchoring)).body.action, { kind: "anchor", hash: anchor, size: 0, first: null });
    assert.deepEqual((await decode("0xdeadbeef")).body, { action: { kind: "other" } });
    problem(await decode(input.slice(0, -64)), 400, "input");
    for (const bad of ["", "0x", "0x12", "0x123456789", "deadbeef", `0x${"ab".repeat(300_000)}`])
      assert.include([400, 413], (await decode(bad)).status, bad.slice(0, 20));
    problem(await server.post("/explorer/api/decode", { data: input }), 400, "input");
  });

  it("lists transactions with or without those of sessions", async () => {
    const kindsOf = async (query: string) =>
      (await explore(`/transactions?limit=100${query}`)).transactions.map(({ kind }: ParsedJson) => kind);
    assert.includeMembers(await kindsOf(""), ["anchor", "session", "administration", "deployment"]);
    assert.notInclude(await kindsOf("&without=sessions"), "session");
    const { transactions } = await explore("/transactions?without=sessions");
    const anchored = transactions.find(({ hash: found }: ParsedJson) => found === batch.batch.tx_hash);
    assert.deepInclude(anchored, { kind: "anchor", function: "anchorBatch", status: "succeeded" });
    assert.equal(anchored.block.number, batch.batch.block_number);
    problem(await request("/transactions?without=records"), 400, "without");
    problem(await request("/transactions?cursor=3"), 400, "cursor");
    const twice = await request("/transactions?without=sessions&without=sessions");
    problem(twice, 400, "without");
    assert.equal(twice.body.detail, "without: is there more than once");
    problem(await request("/blocks?without=sessions"), 400, "without");
  });

  it("shows the available fields of other transactions", async () => {
    const kindOf = async (transaction: string) => (await explore(`/transactions/${transaction}`)).action.kind;
    assert.equal(await kindOf(await send(administrator.address, "0x")), "empty");
    assert.equal(await kindOf(await send(administrator.address, "0x12345678")), "other");
    assert.equal(await kindOf(await send(contracts.ProofAnchor, "0x12345678")), "other");
    const truncated = ProofAnchor__factory.createInterface().getFunction("anchor").selector;
    assert.equal(await kindOf(await send(contracts.ProofAnchor, truncated)), "other");
    const grant = ProofAnchor__factory.createInterface().encodeFunctionData("grantRole", [
      id("RELAYER_ROLE"),
      administrator.address,
    ]);
    assert.equal(await kindOf(await send(contracts.ProofAnchor, grant)), "administration");
    // A hash once more: the chain goes by the first time.
    const again = await send(
      contracts.ProofAnchor,
      concat([truncated, AbiCoder.defaultAbiCoder().encode(["bytes32"], [`0x${one.id}`])]),
    );
    const repeated = await explore(`/transactions/${again}`);
    assert.deepEqual([repeated.action.first.block_number, repeated.logs], [one.proof.block_number, []]);
    const { transactions } = await explore("/blocks/1");
    const deployment = await explore(`/transactions/${transactions[0].hash}`);
    assert.deepEqual(
      [deployment.action.kind, deployment.to, deployment.deployed.contract],
      ["deployment", null, "SessionRegistry"],
    );
  });

  it("describes an address", async () => {
    const { from } = await explore(`/transactions/${one.proof.tx_hash}`);
    const relayer = await explore(`/addresses/${from}`);
    assert.deepEqual(
      [relayer.relays, relayer.administers, relayer.has_code],
      [["SessionRegistry", "EventTable", "ProofAnchor"], [], false],
    );
    assert.isAbove(relayer.sent, 1);
    assert.deepEqual((await explore(`/addresses/${administrator.address.toLowerCase()}`)).administers, [
      "SessionRegistry",
      "EventTable",
      "ProofAnchor",
    ]);
    assert.equal((await explore(`/addresses/${contracts.EventTable.slice(2)}`)).contract, "EventTable");
    assert.equal((await explore(`/addresses/${server.demo.login}`)).scope, "full");
    const unknown = Wallet.createRandom().address;
    assert.deepEqual(await explore(`/addresses/${unknown}`), {
      address: unknown,
      has_code: false,
      relays: [],
      administers: [],
      balance: "0",
      sent: 0,
    });
    assert.deepEqual((await explore(`/addresses/${unknown}/activity`)).activity, []);
    const { activity } = await explore(`/addresses/${from}/activity?limit=100`);
    assert.includeMembers(
      activity.map(({ tx_hash }: ParsedJson) => tx_hash),
      [one.proof.tx_hash, batch.batch.tx_hash],
    );
    for (const { tx_hash } of activity.slice(0, 3))
      assert.equal((await explore(`/transactions/${tx_hash}`)).from, from);
  });

  it("finds by every identifier on the chain, and by no other text", async () => {
    const found = async (text: string) => (await explore(`/search?q=${encodeURIComponent(text)}`)).results;
    assert.deepEqual(await found(String(one.proof.block_number)), [
      { kind: "block", number: one.proof.block_number, hash: one.proof.block_hash },
    ]);
    assert.deepEqual(
      await found(`0x${one.proof.block_number.toString(16)}`),
      await found(String(one.proof.block_number)),
    );
    assert.deepEqual((await found(` ${one.proof.block_hash} `))[0].kind, "block");
    assert.deepEqual(await found(one.proof.tx_hash), [{ kind: "transaction", hash: one.proof.tx_hash }]);
    for (const written of [one.id.toUpperCase(), `0X${one.id}`])
      assert.deepEqual(await found(written), [{ kind: "anchor", hash: `0x${one.id}`, size: 0 }]);
    assert.deepEqual(await found(batch.batch.root), [{ kind: "anchor", hash: batch.batch.root, size: 3 }]);
    assert.deepEqual(await found(sessionId), [{ kind: "session", hash: sessionId }]);
    assert.deepEqual(await found(server.demo.login.toLowerCase()), [{ kind: "address", address: server.demo.login }]);
    for (const nothing of ["999999999", documentHash, batch.proofs[0].id, hash()])
      assert.deepEqual(await found(nothing), [], nothing);
  });

  it("rejects invalid hashes, numbers and addresses with the field", async () => {
    for (const bad of ["x", "0x", `0x${"g".repeat(64)}`, "0x12", "1".repeat(65), "%20"]) {
      problem(await request(`/transactions/${bad}`), 400, "hash");
      problem(await request(`/anchors/${bad}`), 400, "hash");
    }
    for (const bad of ["x", "-1", "1.5", "1e3", "9".repeat(16), "latest"])
      problem(await request(`/blocks/${bad}`), 400, "id");
    for (const bad of ["x", server.demo.login.slice(0, -1), `${server.demo.login}0`])
      problem(await request(`/addresses/${bad}`), 400, "address");
    for (const bad of ["limit=0", "limit=101", "limit=x"]) problem(await request(`/blocks?${bad}`), 400, "limit");
    for (const bad of ["cursor=x", "cursor=1-1"]) problem(await request(`/blocks?${bad}`), 400, "cursor");
    problem(await request("/anchors?cursor=1"), 400, "cursor");
    for (const bad of ["", "q=", "q=hello", `q=${"1".repeat(300)}`]) problem(await request(`/search?${bad}`), 400, "q");
    for (const path of [`/transactions/${hash()}`, `/blocks/${hash()}`, "/blocks/999999", "/nothing", "/"])
      problem(await request(path), 404);
    problem(await server.post("/explorer/api/search", {}), 405);
  });

  it("is compatible with the client", async () => {
    const client = new ExplorerClient(server.url);
    assert.equal((await client.chain()).contracts.ProofAnchor, one.proof.contract);
    assert.equal((await client.block(one.proof.block_number))?.hash, one.proof.block_hash);
    assert.equal((await client.blocks({ limit: 1 })).blocks.length, 1);
    assert.equal((await client.transaction(batch.batch.tx_hash))?.action.kind, "anchor");
    assert.equal((await client.anchor(batch.batch.root))?.size, 3);
    assert.include(
      (await client.anchors()).anchors.map((anchor) => anchor.hash),
      batch.batch.root,
    );
    assert.equal((await client.address(server.demo.login)).scope, "full");
    assert.isNotEmpty((await client.activity(server.demo.login, { limit: 1 })).activity);
    assert.deepEqual(
      (await client.search(one.proof.tx_hash)).map(({ kind }) => kind),
      ["transaction"],
    );
    assert.isUndefined(await client.transaction(hash()));
    assert.equal((await client.decode("0xdeadbeef")).action.kind, "other");
    assert.include(String(await thrownBy(client.search("x"))), "no block number");
  });

  // Security, explorer: cannot read the journal: no id, hash or metadata of a document, no list of those under a root
  it("returns no data that only the journal has", () => {
    assert.isAbove(bodies.length, 80);
    for (const text of bodies) {
      for (const secret of [SECRET, documentHash, "secret kind", "secret source"]) {
        // What was searched for and not found is not repeated either.
        assert.notInclude(text, secret);
      }
    }
  });

  // Security, explorer: cannot query from outside the allowed networks, or above the rate limit
  it("serves allowed networks only, with a rate limit per address", async () => {
    const from = (address: string) =>
      server.get("/explorer/api/search?q=x", { headers: { "X-Forwarded-For": address } });
    problem(await from("8.8.8.8"), 403);
    const responses = await Promise.all(Array.from({ length: 301 }, () => from("10.1.2.3")));
    const refused = responses.filter(({ status }) => status === 429);
    assert.lengthOf(refused, 1);
    problem(refused[0] ?? assert.fail(), 429);
    assert.isAtLeast(Number(refused[0]?.headers.get("retry-after")), 1);
    assert.equal((await from("10.1.2.4")).status, 400);
  });
});

describe("the explorer of another chain", function () {
  let chain: RemoteChain;
  let server: TestServer;
  before(async () => {
    chain = await startRemoteChain();
    const VALIDATOR_NAMES = `0x${"0".repeat(40)}=Data centre 1`;
    server = await startServer(
      { ...chain.variables, API_AUTH: "apikey", API_AUTH_EXEMPT: "explorer", VALIDATOR_NAMES },
      { directory: chain.directory },
    );
  });
  after(async () => {
    chain.proxy.mode = "pass";
    await server.stop("keep");
    await chain.close();
  });

  it("needs no key, names validators, and reports when the chain becomes unavailable and available again", async () => {
    const head = (await server.get("/explorer/api/chain")).body.head;
    assert.equal(head.proposer.name, "Data centre 1");
    const paths = [
      "/chain",
      "/blocks",
      `/blocks/${head.hash}`,
      `/transactions/${hash()}`,
      "/anchors",
      `/anchors/${hash()}`,
      `/addresses/${chain.relayer}`,
      `/addresses/${chain.relayer}/activity`,
      "/search?q=1",
    ];
    chain.proxy.mode = "off";
    for (const path of paths) {
      const response = await server.get(`/explorer/api${path}`);
      problem(response, 503);
      assert.equal(response.body.type, "urn:sealbook:problem:chain_unavailable");
    }
    chain.proxy.mode = "pass";
    assert.equal((await server.get(`/explorer/api/blocks/${head.number}`)).body.hash, head.hash);
    assert.equal((await server.get(`/explorer/api/addresses/${chain.relayer}`)).body.relays.length, 3);
  });
});
