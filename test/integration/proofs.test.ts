import { createHash, randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { assert } from "chai";
import { Contract, id as keccakOf, JsonRpcProvider } from "ethers";
import { encodeEntry, type ProofEntry } from "../../server/journal/entries/codec.ts";
import { packTexts } from "../../server/journal/entries/row-body.ts";
import { documentKey, keyOf } from "../../server/journal/index/proof-key.ts";
import { changeEntries } from "../support/journal-rows.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { eventually } from "../support/eventually.ts";
import type { HttpResponse } from "../support/http.ts";
import { allTransactions, rpcCall } from "../support/rpc.ts";
import { startServer, type TestServer } from "../support/server.ts";

const ANCHOR_ABI = [
  "function anchorOf(bytes32) view returns (tuple(uint64 time, uint64 blockNumber, uint32 size))",
  "function verify(bytes32 leaf, bytes32[] path, bytes32 root) view returns (bool)",
];
const ANCHOR_SELECTOR = keccakOf("anchor(bytes32)").slice(0, 10);
const BATCH_SELECTOR = keccakOf("anchorBatch(bytes32,uint32)").slice(0, 10);

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
/** The recorded hash, computed here from the specification's words. */
const recorded = (documentId: string, timestamp: number, type: string, hash: string): string =>
  sha256(documentId + String(timestamp) + type + hash.toLowerCase().replace(/^0x/, ""));

describe("proofs", function () {
  let server: TestServer;
  before(async () => {
    // No comparison of journal and chain takes part: what raises an alert here is the call.
    server = await startServer({}, { settings: { journal: { reconcileIntervalMilliseconds: 86_400_000 } } });
  });
  after(() => server.stop());

  const submit = (body: object) => server.post("/api/v1/proof", body);
  const fresh = () => randomBytes(32).toString("hex");
  const created = async (body: object): Promise<HttpResponse> => {
    const response = await submit(body);
    assert.equal(response.status, 201, response.text);
    return response;
  };
  const get = (id: string) => server.get(`/api/v1/proof/${encodeURIComponent(id)}`);
  const verify = (hash: string) => server.get(`/api/v1/verify?hash=${hash}`);
  const metric = async (name: string): Promise<number> => {
    const { text } = await server.get("/metrics");
    const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
    assert.isDefined(line, `${name} is exposed`);
    return Number(line?.split(" ")[1]);
  };

  /** Queries the contract with the fields of the proof alone. */
  const holdsOnChain = async ({ contract, record_hash, merkle }: HttpResponse["body"]): Promise<void> => {
    const provider = new JsonRpcProvider(server.chainUrl);
    const verifyOnChain = new Contract(contract, ANCHOR_ABI, provider).getFunction("verify");
    const hash = `0x${record_hash}`;
    assert.isTrue(await verifyOnChain(hash, merkle?.path ?? [], merkle?.root ?? hash), "the contract verifies it");
    provider.destroy();
  };

  it("have every documented field, and are available at their Location", async () => {
    const hash = sha256("the document");
    const metadata = { type: "contract", timestamp: 1_700_000_000, source: "orders", note: { ключ: ["ü", 1.5, null] } };
    const response = await created({ document_id: "contract-1", hash, metadata });
    const { body } = response;
    const recordHash = recorded("contract-1", 1_700_000_000, "contract", hash);
    assert.equal(body.status, "confirmed");
    assert.equal(body.id, recordHash);
    assert.containsAllKeys(body, ["status", "id", "proof", "verification_url"]);
    const { proof } = body;
    assert.hasAllKeys(proof, [
      "id",
      "document_id",
      "hash",
      "record_hash",
      "metadata",
      "chain_id",
      "contract",
      "tx_hash",
      "block_number",
      "block_hash",
      "timestamp",
      "validator",
    ]);
    assert.equal(proof.id, recordHash);
    assert.equal(proof.document_id, "contract-1");
    assert.equal(proof.hash, hash);
    assert.equal(proof.record_hash, recordHash);
    assert.deepEqual(proof.metadata, metadata);
    assert.match(proof.tx_hash, /^0x[0-9a-f]{64}$/);
    assert.match(proof.block_hash, /^0x[0-9a-f]{64}$/);
    assert.isTrue(Number.isInteger(proof.block_number));
    assert.isTrue(Number.isInteger(proof.timestamp));
    assert.isString(proof.validator);
    assert.isNotEmpty(proof.validator);
    assert.equal(proof.chain_id, Number(await rpcCall(server.chainUrl, "eth_chainId")));

    const block = await rpcCall(server.chainUrl, "eth_getBlockByNumber", `0x${proof.block_number.toString(16)}`, false);
    assert.equal(block.hash, proof.block_hash);
    assert.equal(Number(block.timestamp), proof.timestamp);
    const transaction = await rpcCall(server.chainUrl, "eth_getTransactionByHash", proof.tx_hash);
    assert.equal(transaction.blockHash, proof.block_hash);
    assert.equal(transaction.input, `${ANCHOR_SELECTOR}${recordHash}`);

    const location = response.headers.get("location") ?? "";
    assert.isNotEmpty(location);
    const fetched = await server.get(new URL(location, server.url).pathname);
    assert.equal(fetched.status, 200);
    assert.deepEqual(fetched.body, body);
    assert.deepEqual((await get("contract-1")).body, body);
    assert.deepEqual((await get(recordHash)).body, body);
    assert.equal(body.verification_url, `${server.url}/explorer/tx/${proof.tx_hash}`);
    assert.equal((await server.get(`/explorer/api/transactions/${proof.tx_hash}`)).body.action.hash, `0x${recordHash}`);
  });

  it("are on the chain and verifiable with any library", async () => {
    const { proof } = (await created({ document_id: "independent", hash: fresh() })).body;
    const provider = new JsonRpcProvider(server.chainUrl);
    try {
      const contract = new Contract(proof.contract, ANCHOR_ABI, provider);
      const hash = `0x${proof.record_hash}`;
      const [time, blockNumber, size] = await contract.getFunction("anchorOf")(hash);
      assert.equal(Number(time), proof.timestamp);
      assert.equal(Number(blockNumber), proof.block_number);
      assert.equal(Number(size), 0);
      assert.isTrue(await contract.getFunction("verify")(hash, [], hash));
      const other = `0x${fresh()}`;
      assert.isFalse(await contract.getFunction("verify")(other, [], other));
    } finally {
      provider.destroy();
    }
  });

  it("use the server's time without a given one, and return it", async () => {
    const before = Math.floor(Date.now() / 1000);
    const hash = fresh();
    const { proof } = (await created({ document_id: "no time", hash })).body;
    assert.hasAllKeys(proof.metadata, ["timestamp"]);
    assert.isTrue(Number.isInteger(proof.metadata.timestamp));
    assert.isAtLeast(proof.metadata.timestamp, before);
    assert.isAtMost(proof.metadata.timestamp, Math.floor(Date.now() / 1000));
    assert.equal(proof.record_hash, recorded("no time", proof.metadata.timestamp, "", hash));
    const again = await created({ document_id: "empty metadata", hash, metadata: { source: "s", "": 1 } });
    assert.deepEqual(again.body.proof.metadata, { source: "s", "": 1, timestamp: again.body.proof.metadata.timestamp });
  });

  it("of the same record are the same proof", async () => {
    const body = { document_id: "again", hash: fresh(), metadata: { timestamp: 5, type: "log" } };
    const first = await created(body);
    for (const hash of [body.hash, body.hash.toUpperCase(), `0x${body.hash}`, `0X${body.hash}`]) {
      const response = await submit({ ...body, hash });
      assert.equal(response.status, 200);
      assert.deepEqual(response.body, first.body);
    }
    const other = await submit({ ...body, metadata: { ...body.metadata, source: "another" } });
    assert.equal(other.status, 200, "the source is no part of the recorded hash");
    assert.deepEqual(other.body, first.body);
    const transactions = (await allTransactions(server.chainUrl)).filter(({ input }) => input.endsWith(first.body.id));
    assert.lengthOf(transactions, 1);
  });

  it("of another time, type, document or hash are different", async () => {
    const body = { document_id: "other", hash: fresh(), metadata: { timestamp: 5, type: "log" } };
    const responses = await Promise.all([
      created(body),
      created({ ...body, metadata: { timestamp: 6, type: "log" } }),
      created({ ...body, metadata: { timestamp: 5, type: "contract" } }),
      created({ ...body, metadata: { timestamp: 5 } }),
      created({ ...body, hash: fresh() }),
      created({ ...body, document_id: "another" }),
    ]);
    assert.lengthOf(new Set(responses.map(({ body }) => body.id)), 6);
  });

  it("of two documents stay separate, even with the same recorded hash", async () => {
    // The recorded text has no separators: "a" at 12 and "a1" at 2 read alike.
    const hash = fresh();
    const first = (await created({ document_id: "a", hash, metadata: { timestamp: 12 } })).body;
    const second = await submit({ document_id: "a1", hash, metadata: { timestamp: 2 } });
    assert.deepEqual((await get("a")).body, first);
    if (second.status >= 400) return problem(second, 409);
    assert.equal(second.body.proof.document_id, "a1", "a caller gets no other document's proof");
    assert.equal((await get("a1")).status, 200, "what was accepted can be found");
  });

  it("of an empty type equal those without one", async () => {
    const body = { document_id: "empty type", hash: fresh(), metadata: { timestamp: 9, type: "" } };
    assert.equal((await created(body)).body.id, recorded("empty type", 9, "", body.hash));
    assert.equal((await submit({ ...body, metadata: { timestamp: 9 } })).status, 200);
  });

  it("of one document are listed newest first, with older ones under history", async () => {
    const made = [];
    for (let n = 1; n <= 3; n += 1)
      made.push((await created({ document_id: "versions", hash: fresh(), metadata: { timestamp: n } })).body);
    const { body } = await get("versions");
    const { history, ...newest } = body;
    assert.deepEqual(newest, made[2]);
    assert.deepEqual(history, [made[1], made[0]]);
    assert.notProperty((await get(made[0].id)).body, "history");
  });

  it("of one document are returned in pages", async () => {
    const timestamps = Array.from({ length: 7 }, (_, index) => index + 1);
    const made = [];
    for (const timestamp of timestamps)
      made.push((await created({ document_id: "pages", hash: fresh(), metadata: { timestamp } })).body);
    const [newest, ...older] = made.toReversed();
    const pages = [];
    let cursor: string | undefined;
    do {
      const { body } = await server.get(
        `/api/v1/proof/pages?limit=4${cursor === undefined ? "" : `&cursor=${cursor}`}`,
      );
      const { history, next, ...first } = body;
      assert.deepEqual(first, newest, "each page has the newest proof");
      pages.push(history);
      cursor = next;
    } while (cursor !== undefined);
    assert.deepEqual(pages, [older.slice(0, 4), older.slice(4)]);
    for (const [name, value] of [
      ["limit", "0"],
      ["limit", "101"],
      ["cursor", "x"],
    ]) {
      const { status, body } = await server.get(`/api/v1/proof/pages?${name}=${value}`);
      assert.deepEqual([status, body.errors[0].path], [400, name]);
    }
  });

  it("are found by documents with any name", async () => {
    const names = [
      "a/b/c",
      "/",
      "//",
      "with space",
      " ",
      "100%",
      "%2F",
      "%25",
      "a?b=c",
      "a#b",
      "a&b+c",
      "Київ/договір №1",
      "😀",
      "../..",
      "tx",
      "tx/1",
      "a\\b",
      'q"uote',
      "<script>",
      "line\nbreak",
      "x".repeat(512),
      "ü".repeat(512),
      "0",
      "null",
      "é",
      "e\u0301",
    ];
    for (const document_id of names) {
      const { body } = await created({ document_id, hash: fresh() });
      assert.deepEqual((await get(document_id)).body, body, document_id);
    }
    // Clients take . and .. for steps whatever their code: nobody could ask for them.
    for (const document_id of [".", ".."])
      assert.equal((await server.post("/api/v1/proof", { document_id, hash: fresh() })).status, 400);
  });

  it("of a document with the id of a proof return that proof first", async () => {
    const first = (await created({ document_id: "the first", hash: fresh() })).body;
    await created({ document_id: first.id, hash: fresh() });
    assert.deepEqual((await get(first.id)).body, first);
    const other = fresh();
    const named = (await created({ document_id: other, hash: fresh() })).body;
    assert.deepEqual((await get(other)).body, named);
  });

  it("are found by transaction", async () => {
    const { body } = await created({ document_id: "by transaction", hash: fresh() });
    assert.deepEqual((await server.get(`/api/v1/proof/tx/${body.proof.tx_hash}`)).body, body);
    for (const prefix of ["0x", "0X"]) {
      assert.deepEqual(
        (await server.get(`/api/v1/proof/tx/${prefix}${body.proof.tx_hash.slice(2).toUpperCase()}`)).body,
        body,
      );
    }
    problem(await server.get(`/api/v1/proof/tx/0x${fresh()}`), 404);
    for (const bad of ["x", "0x", fresh().slice(1), `0x${fresh()}0`, `0x${"g".repeat(64)}`, "%00"]) {
      problem(await server.get(`/api/v1/proof/tx/${bad}`), 400);
    }
  });

  it("are not found for unknown ids", async () => {
    for (const id of [fresh(), "nobody", "%00", "%E2%82%AC"]) problem(await server.get(`/api/v1/proof/${id}`), 404);
  });

  it("are verified by GET and POST, with either name of the hash", async () => {
    const hash = fresh();
    const { proof } = (await created({ document_id: "verified", hash })).body;
    const expected = {
      valid: true,
      proof: { tx_hash: proof.tx_hash, block_number: proof.block_number, timestamp: proof.timestamp },
    };
    for (const written of [hash, hash.toUpperCase(), `0x${hash}`, `0X${hash.toUpperCase()}`]) {
      for (const name of ["hash", "document_hash"]) {
        const requested = await server.get(`/api/v1/verify?${name}=${written}`);
        const posted = await server.post("/api/v1/verify", { [name]: written });
        for (const { status, body } of [requested, posted]) {
          assert.equal(status, 200);
          assert.deepEqual(body, expected);
        }
      }
    }
    assert.deepEqual(
      (await server.get(`/api/v1/verify?hash=${hash}&document_hash=0x${hash.toUpperCase()}`)).body,
      expected,
    );
    problem(await server.get(`/api/v1/verify?hash=${hash}&document_hash=${fresh()}`), 400);
    problem(await server.post("/api/v1/verify", { hash, document_hash: fresh() }), 400);
  });

  it("are not valid for an unknown hash", async () => {
    const { body } = await created({ document_id: "never", hash: fresh() });
    for (const hash of [fresh(), body.id]) {
      for (const response of [await verify(hash), await server.post("/api/v1/verify", { document_hash: hash })]) {
        assert.equal(response.status, 200);
        assert.hasAllKeys(response.body, ["valid", "message"]);
        assert.strictEqual(response.body.valid, false);
        assert.match(response.body.message, /no proof (was )?found/i);
      }
    }
  });

  it("are a single proof for twenty simultaneous requests", async () => {
    const body = { document_id: "twenty", hash: fresh(), metadata: { timestamp: 20 } };
    const responses = await Promise.all(Array.from({ length: 20 }, () => submit(body)));
    assert.lengthOf(
      responses.filter(({ status }) => status === 201),
      1,
    );
    assert.lengthOf(
      responses.filter(({ status }) => status === 200),
      19,
    );
    for (const response of responses) assert.deepEqual(response.body, responses[0]?.body);
    const id = responses[0]?.body.id;
    assert.lengthOf(
      (await allTransactions(server.chainUrl)).filter(({ input }) => input.includes(id)),
      1,
    );
  });

  it("are two hundred proofs for as many simultaneous requests", async () => {
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        submit({ document_id: `load ${n}`, hash: fresh(), metadata: { timestamp: n } }),
      ),
    );
    for (const { status, body } of responses) {
      assert.equal(status, 201);
      assert.equal(body.status, "confirmed");
    }
    assert.lengthOf(new Set(responses.map(({ body }) => body.id)), 200);
    assert.isBelow(new Set(responses.map(({ body }) => body.proof.tx_hash)).size, 200, "they share transactions");
    for (const { body } of responses) await holdsOnChain(body.proof);
    for (const { body } of responses.slice(0, 5)) assert.isTrue((await verify(body.proof.hash)).body.valid);
  });

  it("put only hashes on chain: every call is a selector and a hash, or a root and a size", async () => {
    const secret = {
      document_id: "SECRET-DOCUMENT",
      hash: sha256("x"),
      metadata: { type: "SECRET-TYPE", source: "SECRET-SOURCE", note: "SECRET-NOTE", timestamp: 1 },
    };
    const { proof } = (await created(secret)).body;
    const all = await allTransactions(server.chainUrl);
    const anchors = all.filter(({ to }) => to === proof.contract.toLowerCase() || to === proof.contract);
    assert.isAtLeast(anchors.length, 10);
    const alone = `${ANCHOR_SELECTOR}[0-9a-f]{64}`;
    const batch = `${BATCH_SELECTOR}[0-9a-f]{64}0{56}[0-9a-f]{8}`;
    for (const { input } of anchors) assert.match(input, new RegExp(`^(${alone}|${batch})$`));
    const text = all.map(({ input }) => input).join();
    for (const part of ["SECRET-DOCUMENT", "SECRET-TYPE", "SECRET-SOURCE", "SECRET-NOTE"]) {
      assert.notInclude(text, Buffer.from(part).toString("hex"));
      assert.notInclude(server.log.join(""), part);
    }
    assert.notInclude(text, secret.hash, "not even the document's own hash");
  });

  it("are counted in the status", async () => {
    const { status, body } = await server.get("/api/v1/status");
    assert.equal(status, 200);
    const parts = ["node", "consensus", "journal", "relayer", "problems"];
    assert.hasAllKeys(body, ["status", "version", "uptime", "leadership", ...parts]);
    assert.deepEqual(body.leadership, { leads: true, relayer: null, leader: null });
    assert.deepEqual(body.problems, []);
    assert.equal(body.status, "ok");
    assert.match(body.version, /^\d+\.\d+\.\d+/);
    assert.isTrue(Number.isInteger(body.uptime));
    assert.hasAllKeys(body.node, ["client", "chain_id", "block_number", "block_age", "clock_skew", "syncing", "peers"]);
    assert.isString(body.node.client);
    assert.equal(body.node.chain_id, Number(await rpcCall(server.chainUrl, "eth_chainId")));
    assert.equal(body.node.block_number, Number(await rpcCall(server.chainUrl, "eth_blockNumber")));
    assert.isAtLeast(body.node.block_age, 0);
    assert.strictEqual(body.node.syncing, false);
    assert.strictEqual(body.node.peers, 0);
    assert.hasAllKeys(body.consensus, ["protocol", "validators", "quorum", "proposer"]);
    assert.isArray(body.consensus.validators);
    assert.hasAllKeys(body.journal, [
      "records",
      "pending",
      "writable",
      "free_bytes",
      "storage_fault",
      "last_reconciled",
      "divergences",
      "replica_lag",
    ]);
    assert.isAtLeast(body.journal.records, 200);
    assert.strictEqual(body.journal.pending, 0);
    assert.isTrue(body.journal.writable);
    assert.strictEqual(body.journal.divergences, 0);
    assert.hasAllKeys(body.relayer, ["address", "balance", "fee", "in_flight"]);
    assert.match(body.relayer.address, /^0x[0-9a-fA-F]{40}$/);
    assert.strictEqual(body.relayer.in_flight, 0);
  });

  it("are counted in the metrics, with times, chain, CPU and memory", async () => {
    const { status, headers, text } = await server.get("/metrics");
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^text\/plain;.*version=0\.0\.4/);
    const types = new Map<string, string>();
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
      if (comment !== null) {
        if (comment[1] === "TYPE") {
          assert.isFalse(types.has(comment[2] ?? ""), `${comment[2]} has one type`);
          types.set(comment[2] ?? "", comment[3] ?? "");
        }
        continue;
      }
      assert.match(
        line,
        /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\.)*",?)*\})? (-?\d+(\.\d+)?(e[+-]?\d+)?|NaN|[+-]Inf)$/,
      );
    }
    for (const [name, type] of [
      ["process_cpu_seconds_total", "counter"],
      ["process_resident_memory_bytes", "gauge"],
      ["nodejs_heap_size_used_bytes", "gauge"],
      ["sealbook_journal_proofs", "gauge"],
      ["sealbook_proofs_accepted_total", "counter"],
      ["sealbook_proof_confirmation_seconds", "histogram"],
      ["sealbook_journal_divergences_total", "counter"],
      ["sealbook_http_request_duration_seconds", "histogram"],
      ["sealbook_chain_up", "gauge"],
      ["sealbook_consensus_validators", "gauge"],
    ] as const) {
      assert.equal(types.get(name), type, name);
    }
    const before = await metric("sealbook_journal_proofs");
    const accepted = await metric("sealbook_proofs_accepted_total");
    const confirmed = await metric("sealbook_proof_confirmation_seconds_count");
    const body = { document_id: "counted", hash: fresh(), metadata: { timestamp: 1 } };
    await created(body);
    await submit(body);
    assert.equal(await metric("sealbook_journal_proofs"), before + 1);
    assert.equal(await metric("sealbook_proofs_accepted_total"), accepted + 1);
    assert.equal(await metric("sealbook_proof_confirmation_seconds_count"), confirmed + 1);
    assert.equal(before, accepted);
    assert.equal(await metric("sealbook_proofs_pending"), 0);
    assert.equal(await metric("sealbook_chain_up"), 1);
    assert.notInclude((await server.get("/metrics")).text, "counted");
  });

  describe("in a journal that was changed externally", function () {
    const change = (sql: string, ...values: (string | number | Uint8Array)[]) => {
      const database = new DatabaseSync(join(server.directory, "sealbook.sqlite"));
      try {
        database.exec("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = OFF");
        assert.equal(database.prepare(sql).run(...values).changes, 1, "the row was found");
      } finally {
        database.close();
      }
    };
    const bytes = (hex: string) => Buffer.from(hex.replace(/^0x/, ""), "hex");
    const fact =
      (facts: Partial<ProofEntry>) =>
      ({ document_id = "" }: Record<string, string>) => {
        const database = new DatabaseSync(join(server.directory, "sealbook.sqlite"));
        database.exec("PRAGMA busy_timeout = 5000");
        changeEntries(database, (entry) =>
          entry.kind === "proof" && entry.document_id === document_id ? { ...entry, ...facts } : entry,
        );
        database.close();
      };
    const confirmation =
      (set: string, ...values: Uint8Array[]) =>
      ({ tx_hash = "" }: Record<string, string>) =>
        change(`update confirmations set ${set} where transaction_hash = ?`, ...values, bytes(tx_hash));
    const facts: readonly (readonly [
      what: string,
      change: (proof: Record<string, string>, requested: string) => void,
    ])[] = [
      [
        "document hash",
        (proof, requested) => {
          fact({ hash: bytes(requested) })(proof);
          change(
            "insert into proof_index_recent select ?, sequence from proof_index_recent where key = ? limit 1",
            keyOf(bytes(requested)),
            documentKey(proof["document_id"] ?? ""),
          );
        },
      ],
      ["document id", fact({ document_id: "forged" })],
      ["timestamp", fact({ timestamp: 4 })],
      ["type", fact({ type: null })],
    ];
    describe("and is compared every second", () => {
      let other: TestServer;
      before(async () => {
        other = server;
        server = await startServer({}, { settings: { journal: { reconcileIntervalMilliseconds: 1_000 } } });
      });
      after(async () => {
        await server.stop();
        server = other;
      });

      for (const [what, forge] of facts) {
        it(`are neither valid nor invalid with another ${what}, which raises an alert`, async () => {
          const hash = fresh();
          const { proof } = (
            await created({ document_id: `tampered ${what}`, hash, metadata: { timestamp: 3, type: "log" } })
          ).body;
          assert.isTrue((await verify(hash)).body.valid);
          const requested = what === "document hash" ? fresh() : hash;
          forge(proof, requested);
          const damaged = await verify(requested);
          problem(damaged, 500);
          assert.equal(damaged.body.type, "urn:sealbook:problem:journal_damaged");
          await eventually(async () => {
            const { alerts } = (await server.get("/api/v1/alerts")).body;
            assert.isTrue(
              alerts.some(({ alert, subject }: ParsedJson) => alert === "journal_divergence" && subject === "entries"),
            );
          });
        });
      }
    });

    const copied: readonly (readonly [what: string, change: (proof: Record<string, string>) => void])[] = [
      ["block number", confirmation("block_number = block_number - 1")],
      ["block hash", confirmation("block_hash = ?", randomBytes(32))],
      ["block time", confirmation("block_time = block_time - 86400")],
      ["transaction hash", confirmation("transaction_hash = ?", randomBytes(32))],
    ];
    for (const [what, forge] of copied) {
      it(`have the facts of their entries with another ${what} in the table of confirmations`, async () => {
        const hash = fresh();
        const { body } = await created({ document_id: `copied ${what}`, hash, metadata: { timestamp: 3 } });
        const before = (await verify(hash)).body;
        assert.isTrue(before.valid);
        forge(body.proof);
        assert.deepEqual((await verify(hash)).body, before);
        assert.deepEqual((await server.get(`/api/v1/proof/${body.id}`)).body.proof, body.proof);
      });
    }

    const cases: readonly (readonly [what: string, change: (proof: Record<string, string>) => void])[] = [
      [
        "confirmation, an older one",
        ({ record_hash = "" }) =>
          change(
            "update anchors set confirmation = (select min(sequence) from confirmations) where hash = ?",
            bytes(record_hash),
          ),
      ],
      [
        "confirmation, a later one",
        ({ record_hash = "" }) =>
          change(
            "update anchors set confirmation = (select max(sequence) from confirmations) where hash = ?",
            bytes(record_hash),
          ),
      ],
    ];
    for (const [what, forge] of cases) {
      it(`are not valid with another ${what}, which raises an alert`, async () => {
        const hash = fresh();
        const { proof } = (
          await created({ document_id: `tampered ${what}`, hash, metadata: { timestamp: 3, type: "log" } })
        ).body;
        await created({ document_id: `after ${what}`, hash: fresh() });
        assert.isTrue((await verify(hash)).body.valid);
        const before = await metric("sealbook_journal_divergences_total");
        forge(proof);
        const { status, body } = await verify(hash);
        // A row of the journal that was changed says nothing of the document.
        const isDamage = what.startsWith("confirmation");
        assert.equal(status, isDamage ? 500 : 200);
        if (isDamage) assert.equal(body.type, "urn:sealbook:problem:journal_damaged");
        else {
          assert.hasAllKeys(body, ["valid", "message"]);
          assert.strictEqual(body.valid, false);
          assert.isNotEmpty(body.message);
        }
        await eventually(async () => {
          assert.equal(await metric("sealbook_journal_divergences_total"), before + 1);
          assert.isTrue(
            server.log.some((line) => line.includes("journal_divergence")),
            "it is in the log",
          );
        });
      });
    }

    // Security, database: cannot make an invented or changed proof valid
    it("are neither valid nor invalid when inserted", async () => {
      const hash = fresh();
      const { proof } = (await created({ document_id: "model", hash: fresh(), metadata: { timestamp: 3 } })).body;
      const recordHash = recorded("invented", 3, "", hash);
      change(
        `insert into anchors
          (id, first_sequence, hash, size, transaction_id, confirmation, opened_at)
        select 1000000, 1000000, ?, 0, transaction_id, confirmation, 0 from anchors where hash = ?`,
        bytes(recordHash),
        bytes(proof.record_hash),
      );
      const invented: ProofEntry = {
        sequence: 1_000_000,
        kind: "proof",
        document_id: "invented",
        hash: bytes(hash),
        timestamp: 3,
        type: null,
        source: null,
        metadata: null,
        accepted_at: 0,
        anchor: 1_000_000,
        leaf: 0,
      };
      change(
        `insert into entries select ?, ?, proofs + 1, digest, ?, ?, ? from entries
          order by first_sequence desc limit 1`,
        invented.sequence,
        invented.sequence,
        randomBytes(32),
        randomBytes(32),
        packTexts([encodeEntry(invented)]),
      );
      change("insert into proof_index_recent values (?, 1000000)", keyOf(bytes(hash)));
      const inserted = await verify(hash);
      problem(inserted, 500);
      assert.equal(inserted.body.type, "urn:sealbook:problem:journal_damaged");
    });

    it("appear in the status", async () => {
      const { body } = await server.get("/api/v1/status");
      // With that of the entry that was inserted.
      assert.equal(body.journal.divergences, cases.length + 1);
      assert.equal(body.status, "degraded");
    });
  });
});

function problem(response: HttpResponse, status: number): void {
  assert.equal(response.status, status, response.text);
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json\b/);
  assert.containsAllKeys(response.body, ["type", "title", "status", "detail"]);
  assert.strictEqual(response.body.status, status);
}
