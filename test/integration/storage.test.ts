import {
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
  closeSync,
} from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments, idOf } from "../support/exactly-once.ts";
import { failToStart } from "../support/process.ts";
import { startRemoteChain } from "../support/remote-chain.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

type Alert = { alert: string; state: string; message: string };

async function storageAlerts(server: Pick<TestServer, "get">): Promise<Alert[]> {
  const { body } = await server.get("/api/v1/alerts");
  return body.alerts.filter(({ alert }: Alert) => alert === "storage_failure");
}

/** Waits until the server reports that it cannot store the journal, and checks what it still does. */
async function assertFails(server: TestServer, known: ReturnType<typeof freshDocuments>[number]): Promise<void> {
  const [document] = freshDocuments(1);
  const refused = await server.post("/api/v1/proof", document);
  assert.equal(refused.status, 503, refused.text);
  assert.equal(refused.body.type, "urn:sealbook:problem:journal_unavailable");
  assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  assert.equal((await server.get("/readyz")).status, 503);
  assert.equal((await server.get("/livez")).status, 200);
  const { body } = await server.get("/api/v1/status");
  assert.deepEqual([body.status, body.journal.writable], ["degraded", false]);
  assert.isString(body.journal.storage_fault);
  assert.equal((await server.get(`/api/v1/proof/${idOf(known)}`)).status, 200, "look-ups go on");
  assert.equal((await server.get(`/api/v1/verify?hash=${known.hash}`)).body.valid, true, "verification goes on");
  await eventually(async () => {
    assert.deepEqual(
      (await storageAlerts(server)).map(({ state }) => state),
      ["raised"],
    );
  });
  await eventually(async () =>
    assert.lengthOf(
      server.log.filter((line) => line.includes('"alert":"storage_failure"')),
      1,
    ),
  );
}

describe("a disk with little space", () => {
  it("accepts nothing new, and serves what is there", async () => {
    const server = await startServer({}, { settings: { journal: { minimumFreeBytes: Number.MAX_SAFE_INTEGER } } });
    try {
      const token = await server.login();
      const [document] = freshDocuments(1);
      for (const reply of [
        await server.post("/api/v1/proof", document),
        await server.post("/api/v1/proof/batch", { documents: freshDocuments(2) }),
        await server.get("/readyz"),
      ]) {
        assert.equal(reply.status, 503, reply.text);
        assert.equal(reply.body.type, "urn:sealbook:problem:storage_full");
        assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
      }
      const stored = await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: {} });
      assert.equal(stored.status, 503, stored.text);
      assert.include(stored.text, "nothing new is accepted");
      assert.equal((await server.call(ROUTES.search, { token }, { search: { target: "1", value: "c" } })).status, 200);
      await eventually(async () => assert.equal((await storageAlerts(server))[0]?.state, "raised"));
    } finally {
      await server.stop();
    }
  });

  it("raises an alert while it still accepts proofs", async () => {
    const server = await startServer({}, { settings: { journal: { lowFreeBytes: Number.MAX_SAFE_INTEGER } } });
    try {
      assert.equal((await server.post("/api/v1/proof", freshDocuments(1)[0])).status, 201);
      await eventually(async () => assert.match((await storageAlerts(server))[0]?.message ?? "", /free some/));
      assert.equal((await server.get("/readyz")).status, 200);
    } finally {
      await server.stop();
    }
  });
});

describe("the files of the journal", () => {
  let server: TestServer;
  let known: ReturnType<typeof freshDocuments>[number];
  let database: string;
  beforeEach(async () => {
    server = await startServer();
    database = join(server.directory, "sealbook.sqlite");
    const [document] = freshDocuments(1);
    known = document ?? assert.fail();
    assert.equal((await server.post("/api/v1/proof", known)).status, 201);
    assert.equal((await server.get("/readyz")).status, 200);
  });
  afterEach(() => server.stop());

  it("are not written after their deletion", async () => {
    for (const name of await readdir(server.directory))
      if (name.startsWith("sealbook.sqlite")) rmSync(join(server.directory, name));
    await assertFails(server, known);
  });

  it("are not written after another file replaced them", async () => {
    renameSync(database, `${database}.old`);
    new DatabaseSync(database).close();
    await assertFails(server, known);
  });

  it("are not written after a truncation of the write-ahead log", async () => {
    assert.isAbove(statSync(`${database}-wal`).size, 0);
    truncateSync(`${database}-wal`, 0);
    const [document] = freshDocuments(1);
    assert.equal((await server.post("/api/v1/proof", document)).status, 503);
    assert.equal((await server.get("/readyz")).status, 503);
  });

  it("are written again when the moved data folder returns", async () => {
    await rename(server.directory, `${server.directory}.away`);
    await assertFails(server, known);
    await rename(`${server.directory}.away`, server.directory);
    const [document] = freshDocuments(1);
    await eventually(async () => assert.equal((await server.post("/api/v1/proof", document)).status, 201));
    await eventually(async () => {
      assert.deepEqual(
        (await storageAlerts(server)).map(({ state }) => state),
        ["resolved"],
      );
      assert.equal((await server.get("/readyz")).status, 200);
    });
  });

  it("raise the alert when only the lock of the data folder was deleted", async () => {
    rmSync(join(server.directory, "lock.sqlite"));
    await assertFails(server, known);
  });
});

describe("the embedded chain", () => {
  it("confirms nothing into a deleted block log, and creates no new chain in its place", async () => {
    const elsewhere = await temporaryDirectory();
    const server = await startServer({ DATABASE_URL: `file:${join(elsewhere, "journal.sqlite")}`, PROOF_WAIT: "1" });
    try {
      const [first, second] = freshDocuments(2);
      await anchored(server, "/api/v1/proof", first ?? assert.fail());
      rmSync(join(server.directory, "chain/blocks.sqlite"));
      const response = await server.post("/api/v1/proof", second);
      assert.equal(response.status, 202, response.text);
      await eventually(async () => assert.match(server.log.join(""), /blocks\.sqlite is missing/));
      assert.isFalse(existsSync(join(server.directory, "chain/blocks.sqlite")));
    } finally {
      await server.stop();
      await removeDirectory(elsewhere);
    }
  });
});

describe("a data folder without its journal", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => removeDirectory(directory));

  it("is rejected at the start, and NEW_JOURNAL=yes keeps the file of the former demo account", async () => {
    const first = await startServer({}, { directory });
    const former = first.demo;
    await first.stop("keep");
    for (const suffix of ["", "-wal", "-shm"]) await rm(join(directory, `sealbook.sqlite${suffix}`), { force: true });
    const { code, output } = await failToStart(directory, {});
    assert.equal(code, 1);
    assert.match(
      output,
      /there is no journal in .*sealbook\.sqlite\. .*npx sealbook journal restore.*NEW_JOURNAL=yes/s,
    );
    assert.isFalse(existsSync(join(directory, "sealbook.sqlite")));
    assert.deepEqual(JSON.parse(readFileSync(join(directory, "demo-account.json"), "utf8")), former);

    const second = await startServer({ NEW_JOURNAL: "yes" }, { directory });
    try {
      assert.notEqual(second.demo.login, former.login);
      const kept = readFileSync(join(directory, `demo-account-${former.login}.json`), "utf8");
      assert.deepEqual(JSON.parse(kept), former);
      assert.equal((await second.call(ROUTES.auth, second.demo)).status, 200);
    } finally {
      await second.stop("keep");
    }
    await (await startServer({}, { directory })).stop("keep");
  });

  it("is rejected when the relayer has sent transactions that an empty journal lacks", async () => {
    const chain = await startRemoteChain();
    try {
      const server = await startServer(chain.variables, { directory: chain.directory });
      assert.equal((await server.post("/api/v1/proof", freshDocuments(1)[0])).status, 201);
      await server.stop("keep");
      // As after a new disk, with only the addresses of the contracts from a backup.
      const { cp } = await import("node:fs/promises");
      await cp(join(chain.directory, "deployments"), join(directory, "deployments"), { recursive: true });
      const { code, output } = await failToStart(directory, chain.variables);
      assert.equal(code, 1, output);
      assert.match(output, /the journal is empty, but the relayer 0x\w+ has sent 1 transactions.*NEW_JOURNAL=yes/s);
    } finally {
      await chain.close();
    }
  });
});

describe("a damaged page of the database", () => {
  it("degrades the status with one alert, while other pages are read and written", async () => {
    const directory = await temporaryDirectory();
    try {
      const before = await startServer({}, { directory });
      const [document] = freshDocuments(1);
      const known = document ?? assert.fail();
      assert.equal((await before.post("/api/v1/proof", known)).status, 201);
      await before.stop("keep");
      damage(join(directory, "sealbook.sqlite"), "service_log");
      const server = await startServer({}, { directory });
      try {
        await server.login(server.demo).catch(() => undefined);
        await eventually(async () => {
          const { body } = await server.get("/api/v1/status");
          assert.equal(body.status, "degraded");
          assert.match(body.journal.storage_fault, /damaged/);
        });
        await eventually(async () => assert.lengthOf(await storageAlerts(server), 1));
        assert.equal((await server.get("/readyz")).status, 503);
        assert.equal((await server.get(`/api/v1/proof/${idOf(known)}`)).status, 200);
        assert.equal((await server.get(`/api/v1/verify?hash=${known.hash}`)).body.valid, true);
      } finally {
        await server.stop("keep");
      }
    } finally {
      await removeDirectory(directory);
    }
  });
});

/** Overwrites the first page of a table. */
function damage(file: string, table: string): void {
  const database = new DatabaseSync(file);
  const found = database.prepare("select rootpage from sqlite_master where name = ?").get(table)?.["rootpage"];
  const size = Number(database.prepare("pragma page_size").get()?.["page_size"]);
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(size, 0x5a), 0, size, (Number(found) - 1) * size);
  closeSync(descriptor);
}
