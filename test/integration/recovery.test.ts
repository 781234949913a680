import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { ClientError, ProofClient } from "../../client/index.ts";
import { anchored } from "../support/anchored.ts";
import { eventually } from "../support/eventually.ts";
import { request } from "../support/http.ts";
import { changeEntries } from "../support/journal-rows.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";

const NDJSON = "application/x-ndjson";
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("recovery over HTTP", function () {
  let chain: RemoteChain;
  let server: TestServer;
  let client: ProofClient;

  before(async () => {
    chain = await startRemoteChain();
    server = await startServer(
      { ...chain.variables, PROOF_WAIT: "1" },
      { directory: chain.directory, settings: { journal: { reconcileIntervalMilliseconds: 3_600_000 } } },
    );
    client = new ProofClient(server.url, { retryForMilliseconds: 0 });
  });
  after(async () => {
    chain.proxy.mode = "pass";
    await server.stop("keep");
    await chain.close();
  });

  const documentsOf = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      document_id: `${name} ${n}`,
      hash: sha256(`${name} ${n}`),
      metadata: { timestamp: 1_700_000_000 },
    }));
  const record = async (documents: readonly object[]): Promise<ParsedJson> =>
    (await anchored(server, "/api/v1/proof/batch", { documents })).body;
  const rowsOf = (
    documents: readonly { document_id: string; hash: string }[],
  ): { document_id: string; hash: string }[] => documents.map(({ document_id, hash }) => ({ document_id, hash }));
  const verify = async (documents: readonly object[], query = ""): Promise<ParsedJson> => {
    const response = await server.post(`/api/v1/recovery/verify${query}`, { documents });
    assert.equal(response.status, 200, response.text.slice(0, 300));
    return response.body;
  };
  const stream = (rows: readonly object[]) =>
    request(`${server.url}/api/v1/recovery/verify`, {
      method: "POST",
      headers: { "Content-Type": NDJSON },
      body: rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    });
  const inDatabase = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(join(chain.directory, "sealbook.sqlite"));
    try {
      database.exec("pragma busy_timeout = 5000");
      return work(database);
    } finally {
      database.close();
    }
  };

  it("returns the same rows as JSON and as lines, with the same root", async () => {
    const documents = documentsOf("same", 5);
    await record(documents);
    const rows = [
      ...rowsOf(documents),
      { document_id: "same 1", hash: sha256("x") },
      { document_id: "other", hash: sha256("same 2") },
    ];
    const json = await verify(rows);
    const lines = (await stream(rows)).text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const last = lines.pop();
    assert.deepEqual(lines, json.documents);
    assert.deepEqual(last.totals, { documents: 7, match: 5, mismatch: 1, unrecorded: 1, pending: 0 });
    assert.deepEqual(last.totals, json.totals);
    assert.equal(last.rows_root, json.rows_root);
    assert.notEqual(last.verification_id, json.verification_id);
    const [match, , , , , mismatch, unrecorded] = json.documents;
    const { body } = await server.get("/api/v1/proof/same%200");
    assert.deepEqual(match, {
      document_id: "same 0",
      result: "match",
      hash: body.proof.hash,
      id: body.id,
      recorded_at: body.proof.timestamp,
      tx_hash: body.proof.tx_hash,
      block_number: body.proof.block_number,
    });
    assert.equal(mismatch.recorded_hash, sha256("same 1"));
    assert.deepEqual(unrecorded, {
      document_id: "other",
      result: "unrecorded",
      hash: sha256("same 2"),
      recorded_as: ["same 2"],
    });
  });

  it("gives the result pending for a document whose newest record has no anchor yet", async () => {
    const [older = assert.fail()] = documentsOf("pending", 1);
    await record([older]);
    const [newer = assert.fail()] = documentsOf("pending", 2).slice(1);
    const pending = { ...newer, document_id: older.document_id };
    const refused = { error: { code: -32000, message: "out of order" } };
    chain.proxy.intercept = ({ method }) => (method === "eth_sendRawTransaction" ? refused : "pass");
    try {
      const submitted = server.post("/api/v1/proof/batch", { documents: [pending] });
      const isKnown = async () => (await server.get(`/api/v1/proof/${pending.document_id.replace(" ", "%20")}`)).body;
      await eventually(async () => assert.equal((await isKnown()).status, "pending"));
      // Neither the older content nor the newer one is called recorded.
      const { totals, documents } = await verify(rowsOf([older, pending]));
      assert.deepEqual(totals, { documents: 2, match: 0, mismatch: 0, unrecorded: 0, pending: 2 });
      assert.deepEqual(
        documents.map(({ result, recorded_hash }: ParsedJson) => [result, recorded_hash]),
        [1, 2].map(() => ["pending", pending.hash]),
      );
      // Nobody had it at that time.
      const { totals: before } = await verify(rowsOf([older]), "?as_of=1000000000");
      assert.deepEqual(before, { documents: 1, match: 0, mismatch: 0, unrecorded: 1, pending: 0 });
      chain.proxy.mode = "pass";
      await submitted;
    } finally {
      chain.proxy.mode = "pass";
    }
    await eventually(async () => assert.equal((await verify(rowsOf([pending]))).totals.match, 1));
  });

  it("responds 503 for queries that need the chain while it is unavailable", async () => {
    const documents = documentsOf("away", 3);
    await record(documents);
    chain.proxy.mode = "off";
    try {
      for (const response of [
        await server.post("/api/v1/recovery/verify", { documents: rowsOf(documents) }),
        await stream(rowsOf(documents)),
        await server.get("/api/v1/recovery/inventory"),
        await server.get("/api/v1/recovery/gap?against=journal"),
        await request(`${server.url}/api/v1/recovery/inventory`, { headers: { Accept: NDJSON } }),
      ]) {
        assert.equal(response.status, 503, response.text.slice(0, 300));
        assert.match(response.headers.get("content-type") ?? "", /problem\+json/);
      }
      const error = await client
        .verifyRestored(rowsOf(documents))
        .next()
        .catch((thrown: unknown) => thrown);
      assert.instanceOf(error, ClientError);
      if (error instanceof ClientError) assert.equal(error.code, "chain_unavailable");
    } finally {
      chain.proxy.mode = "pass";
    }
    await eventually(async () => assert.equal((await verify(rowsOf(documents))).totals.match, 3));
  });

  it("rejects rows that were changed in the database", async () => {
    const documents = documentsOf("tampered", 4);
    const others = documentsOf("others", 3);
    await record(others);
    await record(documents);
    const forged = sha256("forged");
    const right = rowsOf(documents)[2]?.hash ?? assert.fail();
    const changeHash = (value: string): void =>
      inDatabase((database) =>
        changeEntries(database, (entry) =>
          entry.kind === "proof" && entry.document_id === "tampered 2"
            ? { ...entry, hash: Buffer.from(value, "hex") }
            : entry,
        ),
      );
    changeHash(forged);
    const restored = [...rowsOf(documents), { document_id: "tampered 2", hash: forged }];
    for (const response of [
      await server.post("/api/v1/recovery/verify", { documents: restored }),
      await server.get("/api/v1/recovery/inventory"),
    ]) {
      assert.equal(response.status, 500, response.text.slice(0, 300));
      assert.equal(response.body.type, "urn:sealbook:problem:journal_damaged");
      assert.match(response.body.detail, /^the entries \d+ to \d+ of the journal were not written by a relayer/);
    }
    assert.equal((await verify(rowsOf(others))).totals.match, others.length, "rows without changes are compared");
    await eventually(async () => {
      const { alerts } = (await server.get("/api/v1/alerts")).body;
      assert.isTrue(
        alerts.some(({ alert, subject }: ParsedJson) => alert === "journal_divergence" && subject === "entries"),
      );
    });
    changeHash(right);
    for (const { document_id, fault } of await Array.fromAsync(client.inventory()))
      assert.isUndefined(fault, document_id);
  });

  it("lists anchors that the journal lacks", async () => {
    const before = await Array.fromAsync(client.unknownAnchors());
    const { batch } = await record(documentsOf("lost", 3));
    inDatabase((database) =>
      database.exec(`update anchors set hash = x'${"00".repeat(32)}' where hash = x'${batch.root.slice(2)}'`),
    );
    const after = await Array.fromAsync(client.unknownAnchors());
    inDatabase((database) =>
      database.exec(`update anchors set hash = x'${batch.root.slice(2)}' where hash = x'${"00".repeat(32)}'`),
    );
    assert.deepEqual(after.slice(before.length), [
      { hash: batch.root.slice(2), size: 3, tx_hash: batch.tx_hash, block_number: batch.block_number },
    ]);
  });

  it("takes the time of the inventory as date or as_of, and no other parameter", async () => {
    await record(documentsOf("dated", 2));
    const list = async (query: string) => (await server.get(`/api/v1/recovery/inventory?${query}`)).body;
    assert.deepEqual(await list("as_of=1000000000"), await list("date=1000000000"));
    assert.equal((await list("as_of=1000000000")).as_of, 1_000_000_000);
    assert.isEmpty((await list("as_of=1000000000")).documents);
    assert.equal((await list("date=1000000001&as_of=1000000000")).as_of, 1_000_000_000);
    assert.equal((await server.get("/api/v1/recovery/inventory?asof=1000000000")).status, 400);
  });

  it("searches the inventory by text in the id, hash and times, newest first", async () => {
    const documents = documentsOf("Search/Wanted", 3);
    await record(documents);
    const idsOf = async (query: string): Promise<string[]> => {
      const { status, body } = await server.get(`/api/v1/recovery/inventory?${query}`);
      assert.equal(status, 200, query);
      return body.documents.map(({ document_id }: ParsedJson) => document_id);
    };
    const ids = documents.map(({ document_id }) => document_id).reverse();
    assert.deepEqual(await idsOf("q=search/WANTED"), ids);
    assert.deepEqual(await idsOf(`q=${encodeURIComponent(ids[1] ?? "")}`), [ids[1]]);
    assert.deepEqual(await idsOf(`hash=0x${documents[1]?.hash.toUpperCase()}`), [ids[1]]);
    const today = new Date().toISOString().slice(0, 10);
    assert.deepEqual(await idsOf(`q=search/wanted&from=${today}&to=${today}`), ids);
    assert.isEmpty(await idsOf("q=search/wanted&to=2020-01-01"));
    assert.isEmpty(await idsOf(`q=search/wanted&hash=${"0".repeat(64)}`));
    for (const [query, field] of [
      ["q=", "q"],
      [`q=${"x".repeat(513)}`, "q"],
      ["hash=12", "hash"],
      ["from=yesterday", "from"],
      ["from=2026-02-02&to=2026-02-01", "to"],
      ["cursor=7", "cursor"],
    ] as const) {
      const { status, body } = await server.get(`/api/v1/recovery/inventory?${query}`);
      assert.deepEqual([status, body.errors?.[0]?.path], [400, field], query);
    }
  });

  it("lists in its pages what there was as the first one was read", async () => {
    await record(documentsOf("stable", 3));
    const first = await server.get("/api/v1/recovery/inventory?q=stable&limit=1");
    const [newest] = first.body.documents;
    await record([{ ...documentsOf("stable", 3)[0], hash: sha256("newer") }, ...documentsOf("stable later", 1)]);
    const rest = await server.get(`/api/v1/recovery/inventory?q=stable&limit=10&cursor=${first.body.next}`);
    const listed = [newest, ...rest.body.documents].map(({ document_id }: ParsedJson) => document_id);
    assert.deepEqual(
      listed,
      documentsOf("stable", 3)
        .map(({ document_id }) => document_id)
        .reverse(),
    );
  });

  it("returns pages with cursors, and lines with all rows", async () => {
    await record(documentsOf("pages", 30));
    const { verification_id } = await verify([{ document_id: "none", hash: sha256("none") }]);
    for (const [path, list] of [
      ["inventory?", "documents"],
      [`gap?verification_id=${verification_id}&`, "documents"],
      ["gap?against=journal&", "anchors"],
    ] as const) {
      const paged: unknown[] = [];
      for (let cursor: string | undefined = ""; cursor !== undefined;) {
        const { body }: { body: ParsedJson } = await server.get(
          `/api/v1/recovery/${path}limit=7${cursor === "" ? "" : `&cursor=${cursor}`}`,
        );
        paged.push(...body[list]);
        cursor = body.next;
      }
      const { text, headers } = await request(`${server.url}/api/v1/recovery/${path}`, { headers: { Accept: NDJSON } });
      assert.match(headers.get("content-type") ?? "", /^application\/x-ndjson/);
      assert.deepEqual(
        text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line)),
        paged,
      );
      if (list === "documents") assert.isAtLeast(paged.length, 30);
    }
  });

  it("separates two simultaneous comparisons", async () => {
    const [one, two] = [documentsOf("one", 900), documentsOf("two", 900)];
    await record([...one.slice(0, 450), ...two.slice(0, 450)]);
    const known = new Set([...one, ...two].map(({ document_id }) => document_id));
    const gaps = await Promise.all(
      [one, two].map(async (documents) => {
        const rows = client.verifyRestored(rowsOf(documents));
        let last = await rows.next();
        while (last.done !== true) last = await rows.next();
        assert.deepInclude(last.value.totals, { documents: 900, match: 450, unrecorded: 450 });
        return (await Array.fromAsync(client.gap(last.value.verification_id ?? assert.fail("not kept"))))
          .map(({ document_id }) => document_id)
          .filter((id) => known.has(id));
      }),
    );
    assert.deepEqual(
      gaps,
      [two, one].map((documents) =>
        documents
          .slice(0, 450)
          .map(({ document_id }) => document_id)
          .reverse(),
      ),
    );
  });

  describe("as a stream", () => {
    const line = `${JSON.stringify({ document_id: "x".repeat(400), hash: "ab".repeat(32) })}\n`;
    const open = () => {
      const sent = httpRequest(`${server.url}/api/v1/recovery/verify`, {
        method: "POST",
        headers: { "Content-Type": NDJSON },
      });
      sent.on("error", () => undefined);
      return sent;
    };
    const unfinished = (): unknown =>
      inDatabase(
        (database) =>
          database.prepare("select count(*) as n from recovery_verifications where sequence is null").get()?.["n"],
      );

    it("returns its first rows before the last are sent", async () => {
      const sent = open();
      sent.write(line.repeat(2_000));
      const [response] = await once(sent, "response");
      const lines = createInterface({ input: response })[Symbol.asyncIterator]();
      assert.equal(JSON.parse(String((await lines.next()).value)).result, "unrecorded");
      sent.end(line);
      let last = "";
      let count = 1;
      for (let next = await lines.next(); next.done !== true; next = await lines.next(), count += 1)
        last = String(next.value);
      assert.equal(count, 2_002);
      assert.equal(JSON.parse(last).totals.documents, 2_001);
    });

    it("processes only as much as the client reads", async () => {
      const sent = open();
      // The response is awaited and not read.
      const responded = once(sent, "response");
      let count = 0;
      const many = line.repeat(1_000);
      // Until nothing is taken for a while.
      for (let isTaken = true; isTaken;) {
        count += 1_000;
        assert.isBelow(count, 300_000, "the server takes rows although nobody reads");
        if (!sent.write(many))
          isTaken = await Promise.race([once(sent, "drain").then(() => true), sleep(3_000, false)]);
      }
      sent.end();
      const [response] = await responded;
      let rows = 0;
      for await (const text of createInterface({ input: response })) rows += text.includes('"result"') ? 1 : 0;
      assert.equal(rows, count);
    });

    it("frees everything when the client disconnects", async () => {
      const sent = open();
      sent.write(line.repeat(3_000));
      await once(sent, "response");
      assert.equal(unfinished(), 1);
      sent.destroy();
      await eventually(async () => assert.equal(unfinished(), 0));
      assert.equal((await server.get("/api/v1/status")).status, 200);
    });
  });
});
