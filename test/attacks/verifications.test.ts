import { SEALBOOK } from "../support/sealbook.ts";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { request } from "../support/http.ts";
import type { HttpResponse } from "../support/http.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const run = promisify(execFile);
const PER_CALLER = 8_000;
const ROWS = 30_000;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("recovery verifications of many rows", () => {
  let server: TestServer;
  let owner: string;
  before(async () => {
    server = await startServer({ API_AUTH: "apikey" }, { settings: { recovery: { perCaller: PER_CALLER } } });
    owner = await create("write");
    const withKey = { post: (path: string, body: unknown) => server.post(path, body, { "X-API-Key": owner }) };
    for (const name of ["one", "two"])
      await anchored(withKey, "/api/v1/proof", { document_id: name, hash: sha256(name) });
  });
  after(() => server.stop());

  const create = async (scope: string): Promise<string> => {
    const env = { ...SURROUNDINGS, DATA_DIR: server.directory };
    const { stdout } = await run(
      process.execPath,
      [SEALBOOK, "apikey", "create", "a test", "--json", "--scope", scope],
      { env },
    );
    return JSON.parse(stdout).key;
  };

  /** Compares invented documents, and returns the last line of the response. */
  const compare = async (key: string, count: number): Promise<ParsedJson> => {
    const lines = Array.from({ length: count }, (_, n) =>
      JSON.stringify({ document_id: `invented ${n}`, hash: sha256("x") }),
    );
    const { status, text } = await request(`${server.url}/api/v1/recovery/verify`, {
      method: "POST",
      headers: { "Content-Type": "application/x-ndjson", "X-API-Key": key },
      body: lines.join("\n"),
    });
    assert.equal(status, 200, text.slice(0, 300));
    return JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");
  };
  const gap = (key: string, query = ""): Promise<HttpResponse> =>
    server.get(`/api/v1/recovery/gap${query}`, { headers: { "X-API-Key": key } });

  const inDatabase = (query: string): unknown => {
    const database = new DatabaseSync(join(server.directory, "sealbook.sqlite"), { readOnly: true });
    try {
      return Object.values(database.prepare(query).get() ?? {})[0];
    } finally {
      database.close();
    }
  };
  const stored = () => [
    inDatabase("select count(*) from recovery_documents"),
    inDatabase("select count(*) from recovery_verifications"),
    inDatabase("select max(last_sequence) from entries"),
  ];

  // Security, network: cannot fill the disk with recovery verifications with a `read` key
  // Security, network: cannot change what another caller's `gap` is about
  it("with a read key store nothing, and leave another caller's gap as it was", async () => {
    const { body: own } = await server.post(
      "/api/v1/recovery/verify",
      { documents: [{ document_id: "one", hash: sha256("one") }] },
      { "X-API-Key": owner },
    );
    assert.equal(own.totals.match, 1);
    const before = { stored: stored(), gap: (await gap(owner)).body };
    const reader = await create("read");
    const last = await compare(reader, ROWS);
    assert.deepInclude(last, {
      verification_id: null,
      totals: { documents: ROWS, match: 0, mismatch: 0, unrecorded: ROWS, pending: 0 },
    });
    assert.deepEqual({ stored: stored(), gap: (await gap(owner)).body }, before);
    const { documents: _rows, ...named } = own;
    assert.deepInclude(before.gap, { against: "restored", ...named });
    assert.deepEqual(
      before.gap.documents.map(({ document_id }: ParsedJson) => document_id),
      ["two"],
    );
    const none = await gap(reader);
    assert.equal(none.status, 404);
    assert.match(none.body.detail, /this caller has no verification that is kept/);
    assert.equal((await gap(reader, `?verification_id=${own.verification_id}`)).status, 200);
  });

  // Security, network: cannot keep more rows of recovery verifications than the bounds permit
  it("with a write key keep a bounded number of rows", async () => {
    const writer = await create("write");
    const before = Number(stored()[0]);
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await compare(writer, 3_000)).verification_id);
    assert.isAtMost(Number(stored()[0]) - before, PER_CALLER);
    assert.equal((await gap(writer)).body.verification_id, ids.at(-1));
    assert.equal((await gap(writer, `?verification_id=${ids[0]}`)).status, 409, "its rows were evicted");
    assert.isNull((await compare(writer, PER_CALLER)).verification_id, "a larger one is not kept");
    assert.isAtMost(Number(stored()[0]) - before, PER_CALLER);
    assert.equal((await gap(owner)).status, 200, "others keep theirs");
  });
});
