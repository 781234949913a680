import { SEALBOOK } from "../support/sealbook.ts";
import { assert } from "chai";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const RECORDS = 7;

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the script on a data folder. Nothing of this process's environment configures it. */
async function resync(directory: string, ...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [SEALBOOK, "resync", ...args], {
    env: { ...SURROUNDINGS, DATA_DIR: directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

type Searchable = Pick<TestServer, "call" | "login">;

/** Every record that a search finds, in its order, with everything that is said of each. */
async function allRecords(server: Searchable): Promise<unknown[]> {
  const token = await server.login();
  const response = await server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } });
  return content(response, ROUTES.search).tparams.events as unknown[];
}

/** How many rows the copy holds in the folder's database. */
function copied(directory: string): number {
  const database = new DatabaseSync(join(directory, "sealbook.sqlite"), { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS n FROM records").get()?.["n"]);
  } finally {
    database.close();
  }
}

describe("resync script", () => {
  describe("with a database", () => {
    let directory: string;
    let server: TestServer;
    let expected: unknown[];
    const hash = "5e".repeat(32);

    before(async () => {
      directory = await temporaryDirectory();
      server = await startServer({}, { directory });
      const token = await server.login();
      for (let n = 0; n < RECORDS; n += 1) {
        const record = { code: `station-${(n * 5) % RECORDS}`, topic: `t${n % 2}`, payload: { n } };
        content(await server.call(ROUTES.store, { token }, record), ROUTES.store);
      }
      await server.post("/api/v1/proof", { document_id: "kept", hash, metadata: { timestamp: 1 } });
      expected = await eventually(async () => {
        const records = await allRecords(server);
        assert.lengthOf(records, RECORDS);
        return records;
      });
    });
    after(async () => {
      await server.stop("keep");
      await removeDirectory(directory);
    });

    it("is rejected beside a running server, with its name", async () => {
      const { code, out, err } = await resync(directory);
      assert.deepEqual({ code, out }, { code: 1, out: "" });
      assert.match(err, /^resync: [^\n]+\n$/);
      assert.include(err, `process ${process.pid}`);
      assert.include(err, directory);
      assert.equal(copied(directory), RECORDS);
      assert.deepEqual(await allRecords(server), expected);
    });

    it("prints its help without side effects, with and without a server", async () => {
      const { code, out, err } = await resync(directory, "--help");
      assert.deepEqual({ code, err }, { code: 0, err: "" });
      assert.match(out, /^Usage: resync /);
      assert.deepEqual(await allRecords(server), expected);
      await server.stop("keep");
      assert.equal((await resync(directory, "--help")).code, 0);
      assert.equal(copied(directory), RECORDS);
    });

    it("rejects wrong usage without side effects", async () => {
      for (const [argument, message] of [
        ["now", /too many arguments/],
        ["--force", /unknown option '--force'/],
      ] as const) {
        const { code, out, err } = await resync(directory, argument);
        assert.deepEqual({ code, out }, { code: 2, out: "" }, err);
        assert.match(err, message);
      }
      assert.equal(copied(directory), RECORDS);
    });

    it("drops the index; the next start has all records again in the same order", async () => {
      const { code, out, err } = await resync(directory);
      assert.deepEqual({ code, err }, { code: 0, err: "" });
      assert.match(out, /^[^\n]*dropped[^\n]*\n$/);
      assert.equal(copied(directory), 0);
      server = await startServer({}, { directory });
      await eventually(async () => assert.deepEqual(await allRecords(server), expected));
      assert.equal((await server.get("/api/v1/proof/kept")).body.proof.hash, hash);
      const token = await server.login();
      content(await server.call(ROUTES.store, { token }, { code: "after", topic: "t", payload: {} }), ROUTES.store);
      await eventually(async () => assert.lengthOf(await allRecords(server), RECORDS + 1));
    });
  });

  describe("without a database", () => {
    let directory: string;

    beforeEach(async () => {
      directory = await temporaryDirectory();
    });
    afterEach(() => removeDirectory(directory));

    it("reports it, and creates none", async () => {
      for (const folder of [directory, join(directory, "missing")]) {
        const { code, out, err } = await resync(folder);
        assert.deepEqual({ code, out }, { code: 1, out: "" });
        assert.equal(err, `resync: there is no database at ${join(folder, "sealbook.sqlite")}\n`);
      }
      assert.isEmpty(await readdir(directory));
      assert.isFalse(existsSync(join(directory, "missing")));
    });

    it("rejects an invalid database", async () => {
      await writeFile(
        join(directory, "sealbook.sqlite"),
        "not a database, but long enough to be looked at as if it were one",
      );
      const { code, out, err } = await resync(directory);
      assert.deepEqual({ code, out }, { code: 1, out: "" });
      assert.match(err, /^resync: [^\n]+\n$/);
    });
  });
});
