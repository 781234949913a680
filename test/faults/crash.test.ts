import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { Interface } from "ethers";
import { content } from "../support/envelope.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { allTransactions, anchoredHash, rpcCall } from "../support/rpc.ts";
import { FAST, ROUTES } from "../support/server.ts";

const INSERT = new Interface([
  "function insert(string tabname, uint256 rowid, bytes rowdata, bool comp, string signature)",
]);
const WORKERS = 8;

interface Proof {
  readonly id: string;
  readonly tx_hash: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly timestamp: number;
}

describe("a server killed at random moments", () => {
  let directory: string;
  let server: ServerProcess;
  let token: string;
  const outputs: string[] = [];
  const secrets: string[] = [];
  /** The responses. */
  const proofs = new Map<string, Proof>();
  const pending = new Set<string>();
  const submitted: string[] = [];
  const records = new Map<string, number>();
  const unacknowledged: string[] = [];
  const blocks = new Map<number, string>();

  const start = async (variables: Record<string, string> = {}) => {
    server = await startProcess(
      directory,
      {
        SESSION_LIFETIME: "3600",
        PROOF_WAIT: "1",
        LOG_LEVEL: "debug",
        ...variables,
      },
      FAST,
    );
    const running = server;
    outputs.push("");
    const index = outputs.length - 1;
    Object.defineProperty(outputs, index, { get: () => running.output(), configurable: true, enumerable: true });
  };
  const search = async (value: string) =>
    content(
      await server.call(ROUTES.search, { token }, { search: { target: "1", value, limit: 10_000 } }),
      ROUTES.search,
    ).tparams.events;

  const submitOne = async (): Promise<void> => {
    const hash = randomBytes(32).toString("hex");
    submitted.push(hash);
    const { status, body } = await server.post("/api/v1/proof", {
      document_id: `doc ${hash}`,
      hash,
      metadata: { timestamp: 7 },
    });
    assert.oneOf(status, [201, 202]);
    if (status === 201) proofs.set(hash, body.proof);
    else pending.add(hash);
  };
  const storeOne = async (): Promise<void> => {
    const code = randomBytes(8).toString("hex");
    unacknowledged.push(code);
    await storeKeyed(code);
    unacknowledged.splice(unacknowledged.indexOf(code), 1);
  };
  const storeKeyed = async (code: string): Promise<void> => {
    const payload = { code, topic: "crash", payload: { code } };
    const response = await server.call(ROUTES.store, { token }, payload, { "Idempotency-Key": code });
    records.set(code, content(response, ROUTES.store).chainid);
  };
  /** Keeps the server busy until it is gone. */
  const load = async (work: () => Promise<void>): Promise<void> => {
    try {
      for (;;) await work();
    } catch (error) {
      // The connection that the kill cut.
      if (!(error instanceof TypeError)) throw error;
    }
  };

  before(async () => {
    directory = await temporaryDirectory();
    await start();
    const { tparams } = content(await server.call(ROUTES.auth, server.demo), ROUTES.auth);
    token = tparams.tx;
    secrets.push(tparams.tx, tparams.pkey);
  });
  after(async () => {
    await server.end("SIGTERM");
    await removeDirectory(directory);
  });

  it("keeps every returned result, in each round", async () => {
    // A block a second leaves much in flight at the moment of the kill. All who wait no longer than that can miss every
    // block together: they post again at the same moment.
    for (const variables of [{}, { CHAIN_BLOCK_PERIOD: "1", PROOF_WAIT: "2" }, {}, {}]) {
      const busy = [...Array<undefined>(WORKERS)].flatMap(() => [load(submitOne), load(storeOne)]);
      const [fewProofs, fewRecords] = [proofs.size + 3, records.size + 3];
      await sleep(300 + Math.random() * ("CHAIN_BLOCK_PERIOD" in variables ? 1_500 : 700));
      await eventually(async () => {
        assert.isAtLeast(proofs.size, fewProofs);
        assert.isAtLeast(records.size, fewRecords);
      });
      const head = Number(await rpcCall(server.chainUrl, "eth_blockNumber"));
      for (let number = Math.max(0, head - 5); number <= head; number += 1) {
        blocks.set(
          number,
          (await rpcCall(server.chainUrl, "eth_getBlockByNumber", `0x${number.toString(16)}`, false)).hash,
        );
      }
      assert.equal((await server.end("SIGKILL")).signal, "SIGKILL");
      await Promise.all(busy);
      await start(variables);
      await search("none");
    }
    assert.isAbove(proofs.size, 10, "the load was one");
    assert.isAbove(records.size, 10);
  });

  it("confirms every accepted proof", async () => {
    await eventually(async () => {
      const { body } = await server.get("/api/v1/status");
      assert.strictEqual(body.journal.pending, 0);
      assert.strictEqual(body.relayer.in_flight, 0);
    });
    for (const hash of pending) {
      const { body } = await server.get(`/api/v1/proof/${encodeURIComponent(`doc ${hash}`)}`);
      assert.equal(body.status, "confirmed");
    }
  });

  it("returns every proof unchanged", async () => {
    for (const [hash, proof] of proofs) {
      const { status, body } = await server.get(`/api/v1/proof/${encodeURIComponent(`doc ${hash}`)}`);
      assert.equal(status, 200);
      assert.deepEqual(body.proof, proof);
    }
    for (const hash of [...proofs.keys()].slice(-20))
      assert.isTrue((await server.get(`/api/v1/verify?hash=${hash}`)).body.valid);
  });

  it("anchors each recorded hash once, and no other", async () => {
    const all = await allTransactions(server.chainUrl);
    const known = [];
    for (const hash of submitted) {
      const { status, body } = await server.get(`/api/v1/proof/${encodeURIComponent(`doc ${hash}`)}`);
      if (status === 200) known.push(body.proof);
    }
    assert.isAtLeast(known.length, proofs.size + pending.size);
    const contract = known[0].contract.toLowerCase();
    const anchored = all
      .filter(({ to }) => to?.toLowerCase() === contract)
      .map(({ input }) => input.slice(10, 74))
      .sort();
    assert.deepEqual(anchored, [...new Set(known.map(anchoredHash))].sort());
    const leaves = known.map((proof) => `${anchoredHash(proof)} ${proof.merkle?.index}`);
    assert.lengthOf(new Set(leaves), known.length, "each has a place of its own");
  });

  it("stores each acknowledged record once, and others at most once", async () => {
    const events: string[][] = await search("*");
    const codes = events.map(([, code]) => code ?? "");
    assert.lengthOf(new Set(codes), codes.length);
    assert.includeMembers(codes, [...records.keys()]);
    assert.includeMembers([...records.keys(), ...unacknowledged], codes);
    const rows = (await allTransactions(server.chainUrl)).filter(({ input }) =>
      input.startsWith(INSERT.getFunction("insert")?.selector ?? "-"),
    );
    const ids = rows.map(({ input }) => Number(INSERT.decodeFunctionData("insert", input).getValue("rowid")));
    assert.lengthOf(new Set(ids), ids.length, "no row id was used twice");
    assert.includeMembers(ids, [...records.values()]);
    assert.lengthOf(rows, codes.length);
  });

  it("stores each record once whose call is repeated with its Idempotency-Key", async () => {
    assert.isNotEmpty(unacknowledged, "the kills cut calls off");
    const acknowledged = new Map(records);
    for (const code of [...unacknowledged, ...acknowledged.keys()].slice(0, 60)) await storeKeyed(code);
    const codes: string[] = (await search("*")).map(([, code]: string[]) => code);
    assert.sameMembers(codes, [...records.keys()]);
    for (const [code, row] of acknowledged) assert.equal(records.get(code), row);
  });

  it("keeps its blocks", async () => {
    assert.isAbove(blocks.size, 5);
    for (const [number, hash] of blocks) {
      assert.equal(
        (await rpcCall(server.chainUrl, "eth_getBlockByNumber", `0x${number.toString(16)}`, false)).hash,
        hash,
      );
    }
  });

  it("keeps its sessions", async () => {
    const validated = content(await server.call(ROUTES.validate, { token }), ROUTES.validate).tparams;
    token = validated.tx;
    assert.equal(validated.pkey, secrets[1]);
    secrets.push(token);
    content(await server.call(ROUTES.store, { token }, { code: "after", topic: "crash", payload: {} }), ROUTES.store);
  });

  it("creates one demo account, logs its file once, and restricts the password to the file's owner", async () => {
    const file = join(directory, "demo-account.json");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { login, password } = JSON.parse(readFileSync(file, "utf8"));
    const response = await server.call(ROUTES.auth, { login, password });
    assert.equal(content(response, ROUTES.auth).tparams.stats.accounts, 1);
    secrets.push(response.body.content.tparams.tx, response.body.content.tparams.pkey);
    const mentions = outputs.map((output) => output.split("\n").filter((line) => line.includes(file)).length);
    assert.deepEqual(mentions, [1, ...outputs.slice(1).map(() => 0)]);
    for (const output of outputs) assert.notInclude(output, password);
  });

  // Security, log: finds no token or secure key in log or files after a crash
  it("writes no token or secure key to logs or files", () => {
    assert.isAtLeast(secrets.length, 5);
    const database = ["sealbook.sqlite", "sealbook.sqlite-wal"].map((name) => readFileSync(join(directory, name)));
    for (const secret of secrets) {
      for (const output of outputs) assert.notInclude(output, secret.slice(2));
      for (const bytes of database) {
        assert.isFalse(bytes.includes(Buffer.from(secret.slice(2), "hex")), "in bytes");
        assert.isFalse(bytes.includes(secret.slice(2)), "in hex");
      }
    }
  });

  describe("after the loss of its index", () => {
    const robbed = async (...statements: string[]) => {
      assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
      const database = new DatabaseSync(join(directory, "sealbook.sqlite"));
      for (const statement of statements)
        assert.isAbove(Number(database.prepare(statement).run().changes), 0, statement);
      database.close();
      await start();
    };

    it("finds all records in the same order", async () => {
      const before = await search("*");
      await robbed("delete from records", "delete from index_progress");
      await eventually(async () => assert.deepEqual(await search("*"), before));
      const { chainid } = content(
        await server.call(ROUTES.store, { token }, { code: "robbed", topic: "crash", payload: {} }),
        ROUTES.store,
      );
      assert.isAbove(chainid, Math.max(...records.values()));
    });

    it("continues after the highest row", async () => {
      const { chainid } = content(
        await server.call(ROUTES.store, { token }, { code: "highest", topic: "crash", payload: {} }),
        ROUTES.store,
      );
      await robbed("delete from records", "delete from index_progress");
      const next = content(
        await server.call(ROUTES.store, { token }, { code: "next", topic: "crash", payload: {} }),
        ROUTES.store,
      );
      assert.equal(next.chainid, chainid + 1);
    });
  });
});
