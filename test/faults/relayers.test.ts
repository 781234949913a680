import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { assert } from "chai";
import { hexlify, Wallet } from "ethers";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { deploymentFile, readDeployment } from "../../server/chain/contracts/deployment.ts";
import { CONTRACT_NAMES } from "../../server/chain/transaction.ts";
import { FRAMES, SealedFrames } from "../../server/http/forwarding/body-frames.ts";
import { CALL_HEADER, digestOf, newNonce, proofOf } from "../../server/http/forwarding/forwarded-call.ts";
import { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { RelayerRoles } from "../../scripts/relayer/relayer-roles.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { emptyDatabase } from "../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content } from "../support/envelope.ts";
import { KEY } from "../support/journal-key.ts";
import { eventually } from "../support/eventually.ts";
import type { HttpResponse } from "../support/http.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { allTransactions, anchoredHash } from "../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { freePort } from "../support/free-port.ts";
import { relayersAt } from "../support/relayer-pair.ts";
import { FEES } from "../support/fees.ts";

const CHAIN_ID = 7326;
const GRANT = INTERFACES.ProofAnchor.getFunction("grantRole").selector;

describe("two relayers with a key each on one database", () => {
  let chain: RemoteChain;
  let database: EngineDatabase;
  let otherDirectory: string;
  const servers: TestServer[] = [];
  const other = new Wallet(hexlify(randomBytes(32)));

  before(async () => {
    chain = await startRemoteChain();
    const deployment =
      (await readDeployment(deploymentFile(chain.directory, CHAIN_ID))) ?? assert.fail("nothing is deployed");
    const rpc = connectRpc(chain.url, CHAIN_ID);
    const roles = new RelayerRoles(rpc, deployment);
    const administrator = new Wallet(chain.variables.ADMIN_KEY ?? "");
    for (const contract of CONTRACT_NAMES) await roles.change("grant", contract, other.address, administrator, FEES);
    rpc.close();
    database = await emptyDatabase("postgres");
    otherDirectory = await temporaryDirectory();
    await cp(join(chain.directory, "deployments"), join(otherDirectory, "deployments"), { recursive: true });
    // Every proof is confirmed in it, also on a slow machine.
    const shared = { ...chain.variables, DATABASE_URL: database.url, PROOF_WAIT: "300" };
    const relayer = relayersAt([await freePort(), await freePort()]);
    servers.push(await startServer({ ...shared, ...relayer(0) }, { directory: chain.directory }));
    const follower = { ...shared, ...relayer(1), RELAYER_KEY: other.privateKey };
    servers.push(await startServer(follower, { directory: otherDirectory }));
  });
  after(async () => {
    for (const server of servers) await server.stop("keep");
    await chain.close();
    await removeDirectory(otherDirectory);
    await database.remove();
  });

  it("confirm every hash once, also with simultaneous duplicates, and both return all proofs", async () => {
    const documents = Array.from({ length: 120 }, (_, n) => ({
      document_id: `shared ${n}`,
      hash: randomBytes(32).toString("hex"),
      metadata: { timestamp: n },
    }));
    const responses = await Promise.all(
      documents.flatMap((body, n) => {
        const [first, second] = servers;
        // Every third is sent to both.
        const targets = n % 3 === 0 ? [first, second] : [servers[n % 2]];
        return targets.map((server) => server?.post("/api/v1/proof", body));
      }),
    );
    for (const response of responses) assert.oneOf(response?.status, [200, 201], response?.text);
    const proofs: HttpResponse["body"][] = [];
    for (const { document_id } of documents) {
      const [one, two] = await Promise.all(
        servers.map((server) => server.get(`/api/v1/proof/${encodeURIComponent(document_id)}`)),
      );
      assert.isUndefined(one?.body.history, "there is one proof");
      assert.deepEqual(one?.body, { ...two?.body, verification_url: one?.body.verification_url });
      proofs.push(one?.body.proof);
    }
    const anchors = (await allTransactions(chain.url)).filter(
      ({ to }) => to?.toLowerCase() === proofs[0].contract.toLowerCase(),
    );
    const onChain = anchors.map(({ input }) => input.slice(10, 74));
    for (const hash of new Set(proofs.map(anchoredHash))) {
      assert.lengthOf(
        onChain.filter((each) => each === hash),
        1,
        "it was anchored once",
      );
    }
    const senders = anchors.filter(({ input }) => !input.startsWith(GRANT)).map(({ from }) => from);
    assert.deepEqual([...new Set(senders)], [chain.relayer.toLowerCase()], "only the leader sent transactions");
  });

  it("store a record once that both get with one Idempotency-Key, and respond alike", async () => {
    const [first, second] = servers;
    const account = (await first?.context.accounts?.create("full")) ?? assert.fail("no administrator");
    const token = (await first?.login(account)) ?? assert.fail();
    const headers = { "Idempotency-Key": randomUUID() };
    const payload = { code: randomUUID(), topic: "t", payload: {} };
    const store = (server?: TestServer) => server?.call(ROUTES.store, { token }, payload, headers);
    const together = await Promise.all([store(first), store(second), store(first), store(second)]);
    const responses = [...together, await store(first), await store(second)];
    const contents = responses.map((response) => content(response ?? assert.fail(), ROUTES.store));
    for (const each of contents) assert.deepEqual(each, contents[0]);
    const search = { search: { target: "1", value: payload.code } };
    const found = await first?.call(ROUTES.search, { token }, search);
    assert.lengthOf(content(found ?? assert.fail(), ROUTES.search).tparams.events, 1);
  });

  it("anchor a document once that both get with one Idempotency-Key and without a time", async () => {
    const documents = [{ document_id: randomUUID(), hash: randomBytes(32).toString("hex") }];
    for (const [path, body] of [
      ["proof", { ...documents[0], document_id: randomUUID() }],
      ["proof/batch", { documents }],
    ] as const) {
      const headers = { "Idempotency-Key": randomUUID() };
      const submit = (server: TestServer) => server.post(`/api/v1/${path}`, body, headers);
      const responses = [...(await Promise.all(servers.map(submit))), ...(await Promise.all(servers.map(submit)))];
      const bodies = responses.map(({ text }) => servers.reduce((body, { url }) => body.replaceAll(url, "URL"), text));
      assert.deepEqual(bodies, Array(4).fill(bodies[0]));
      assert.deepEqual(
        responses.map(({ status }) => status),
        Array(4).fill(201),
      );
    }
  });

  // Security, network: cannot avoid a lock-out by trying another relayer on the same PostgreSQL database
  it("share their lock-outs of logins", async () => {
    const login = Wallet.createRandom().address;
    const [first, second] = servers;
    const fail = (server?: TestServer) => server?.call(ROUTES.auth, { login, password: "wrong" });
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await fail(first))?.status));
    assert.deepEqual(statuses, Array(10).fill(401));
    const locked = await fail(second);
    assert.equal(locked?.status, 429, locked?.text);
    assert.isAtLeast(Number(locked?.headers.get("Retry-After")), 1);
  });

  describe("take a forwarded call", () => {
    const body = { document_id: randomUUID(), hash: randomBytes(32).toString("hex"), metadata: { timestamp: 1 } };
    const text = JSON.stringify(body);
    const path = "/api/v1/proof";
    const caller = { source: "192.0.2.1", isProxy: false, isSecure: false };
    let epoch: number;
    before(async () => void (epoch = Number((await database.query("select epoch from leader"))[0]?.["epoch"])));
    const headersOf = (key = KEY.callKey(), to = "first", url = path, of = epoch): Record<string, string> => {
      const headers = { "content-type": "application/json", accept: "*/*" };
      const call = { to, epoch: of, caller, body: digestOf(Buffer.from(text)), nonce: newNonce() };
      return { ...headers, ...proofOf(key, { method: "POST", url, headers }, call) };
    };
    const send = async (headers: Record<string, string>, given = text): Promise<number> => {
      const { status } = await fetch(`${servers[0]?.url}${path}`, { method: "POST", headers, body: given });
      return status;
    };

    it("of another relayer of the journal once, and no other one", async () => {
      const headers = headersOf();
      assert.equal(await send(headers), 201);
      assert.equal(await send(headers), 403, "it was repeated");
      assert.equal(await send(headersOf(JournalKey.generate().callKey())), 403, "it has another key");
      assert.equal(await send(headersOf(undefined, "second")), 403, "it is for another relayer");
      assert.equal(await send(headersOf(undefined, undefined, "/api/v1/proof/batch")), 403, "it is another call");
      assert.equal(await send(headersOf(), text.replace('"timestamp":1', '"timestamp":2')), 403, "it has another body");
      const late = await fetch(`${servers[0]?.url}${path}`, {
        method: "POST",
        headers: headersOf(undefined, undefined, undefined, epoch - 1),
        body: text,
      });
      assert.equal(late.status, 503, "it is of before a restart");
      assert.include(await late.text(), "urn:sealbook:problem:not_leader", "nothing of it began");
      assert.equal(await send({ ...headersOf(), "idempotency-key": randomUUID() }), 403, "it has another key");
      const changed = headersOf();
      const call = JSON.parse(Buffer.from(changed[CALL_HEADER] ?? "", "base64url").toString());
      const other = { ...call, caller: { ...caller, api: { kind: "api_key", id: "a", scope: "write" } } };
      changed[CALL_HEADER] = Buffer.from(JSON.stringify(other)).toString("base64url");
      assert.equal(await send(changed), 403, "it names another caller");
      assert.equal(await send({ ...headersOf(), [CALL_HEADER]: "x" }), 403, "it is none");
    });

    const restored = "/api/v1/recovery/verify";
    const NDJSON = "application/x-ndjson";
    const rowsOf = (count: number): string =>
      Array.from({ length: count }, () => `${JSON.stringify({ document_id: randomUUID(), hash: body.hash })}\n`).join(
        "",
      );

    it("with a body that is streamed", async () => {
      const count = 5_000;
      const response = await fetch(`${servers[1]?.url}${restored}`, {
        method: "POST",
        headers: { "Content-Type": NDJSON },
        body: rowsOf(count),
      });
      const lines = (await response.text()).trim().split("\n");
      assert.equal(response.status, 200, lines[0]);
      assert.lengthOf(lines, count + 1);
      assert.equal(JSON.parse(lines.at(-1) ?? "").totals.unrecorded, count);
    });

    it("with an encoding that no relayer reads, and with one that each reads", async () => {
      const encoded = (server: TestServer | undefined, url: string, type: string, text: string) =>
        fetch(`${server?.url}${url}`, {
          method: "POST",
          headers: { "Content-Type": type, "Content-Encoding": "gzip" },
          body: new Uint8Array(gzipSync(text)),
        });
      for (const server of servers) {
        assert.equal((await encoded(server, restored, NDJSON, rowsOf(1))).status, 415);
        const document = { ...body, document_id: randomUUID() };
        assert.equal((await encoded(server, path, "application/json", JSON.stringify(document))).status, 201);
      }
    });

    it("with a streamed body that no other one takes the place of", async () => {
      const sealed = async (nonce: string, key = KEY.callKey()): Promise<Buffer[]> => {
        const frames: Buffer[] = [];
        const stream = new SealedFrames(key, nonce).on("data", (frame) => frames.push(frame));
        for (let row = 0; row < 3; row += 1) stream.write(rowsOf(1));
        await once(stream.end(), "end");
        return frames;
      };
      const post = async (nonce: string, frames: readonly Buffer[]): Promise<string> => {
        const headers = { "content-type": NDJSON, accept: "*/*" };
        const call = { to: "first", epoch, caller, body: FRAMES, nonce };
        const proof = proofOf(KEY.callKey(), { method: "POST", url: restored, headers }, call);
        const [url, given] = [`${servers[0]?.url}${restored}`, new Uint8Array(Buffer.concat(frames))];
        return (await fetch(url, { method: "POST", headers: { ...headers, ...proof }, body: given })).text();
      };
      const sent = async (change: (frames: readonly Buffer[]) => readonly Buffer[]): Promise<string> => {
        const nonce = newNonce();
        return post(nonce, change(await sealed(nonce)));
      };
      assert.include(await sent((frames) => frames), '"unrecorded":3');
      const forbidden = "urn:sealbook:problem:forbidden";
      assert.include(await sent((frames) => frames.slice(0, -1)), forbidden, "the end is missing");
      assert.include(await sent((frames) => frames.toSpliced(1, 1)), forbidden, "a frame is missing");
      assert.include(
        await sent(([first = assert.fail(), ...more]) => [first, first, ...more]),
        forbidden,
        "one is repeated",
      );
      assert.include(await sent((frames) => [...frames, Buffer.from("x")]), forbidden, "there is more");
      assert.include(await sent(() => [Buffer.from(rowsOf(100))]), forbidden, "there are no frames");
      assert.include(await post(newNonce(), await sealed(newNonce())), forbidden, "it is of another call");
      const [nonce, other] = [newNonce(), JournalKey.generate().callKey()];
      assert.include(await post(nonce, await sealed(nonce, other)), forbidden, "it has another key");
      const whole = { to: "first", epoch, caller, body: digestOf(Buffer.from(rowsOf(1))), nonce: newNonce() };
      const headers = { "content-type": NDJSON, accept: "*/*" };
      const proof = proofOf(KEY.callKey(), { method: "POST", url: restored, headers }, whole);
      const init = { method: "POST", headers: { ...headers, ...proof }, body: rowsOf(1) };
      assert.include(await (await fetch(`${servers[0]?.url}${restored}`, init)).text(), forbidden, "it is another one");
    });

    it("to the leader, whatever address the target of a request has", async () => {
      const [, follower] = servers;
      const { hostname, port } = new URL(follower?.url ?? "");
      const request = httpRequest({
        ...{ hostname, port, method: "POST", path: `http://127.0.0.1:9${path}` },
        headers: { host: `${hostname}:${port}`, "content-type": "application/json" },
      });
      request.end(text);
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      assert.oneOf(response.statusCode, [200, 201]);
    });

    // Security, database: cannot have calls sent to an address of its own
    it("at an address of the configuration only, and forward none twice", async () => {
      const post = async (): Promise<HttpResponse | undefined> => servers[1]?.post(path, body);
      assert.oneOf((await post())?.status, [200, 201]);
      for (const holder of ["http://127.0.0.1:9", "third", "second"]) {
        await database.query(`update leader set holder = '${holder}'`);
        const { status, text: problem, headers } = (await post()) ?? assert.fail();
        assert.deepEqual([status, headers.get("Retry-After")], [503, "1"], problem);
        assert.include(problem, "urn:sealbook:problem:not_leader");
      }
      await database.query("update leader set holder = 'first'");
      assert.oneOf((await post())?.status, [200, 201]);
    });
  });

  it("leave each other's transactions in flight alone, also at a start", async () => {
    const [first] = servers;
    const account = (await first?.context.accounts?.create("full")) ?? assert.fail("no administrator");
    const before = chain.proxy.attempted.length;
    chain.proxy.mode = "lossy";
    const opening = first?.login(account);
    await eventually(async () => assert.isAbove(chain.proxy.attempted.length, before));
    const directory = await temporaryDirectory();
    await cp(join(chain.directory, "deployments"), join(directory, "deployments"), { recursive: true });
    const variables = { ...chain.variables, DATABASE_URL: database.url };
    const third = await startServer({ ...variables, RELAYER_KEY: hexlify(randomBytes(32)) }, { directory });
    chain.proxy.mode = "pass";
    try {
      const token = await opening;
      content((await first?.call(ROUTES.validate, { token })) ?? assert.fail(), ROUTES.validate);
    } finally {
      await third.stop();
    }
  });
});
