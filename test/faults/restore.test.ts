import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { Transaction } from "ethers";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { anchored } from "../support/anchored.ts";
import { emptyDatabase } from "../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { hang, only, RECEIPTS, SEND } from "../support/faulty-proxy.ts";
import { putKey } from "../support/journal-key.ts";
import { journalLines } from "../support/journal-lines.ts";
import { runJournalScript, startJournalScript } from "../support/journal-script.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type BucketReplica, bucketReplica, type FolderReplica, folderReplica } from "../support/test-replica.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { FAST_RECHECK, type Login, ROUTES, startServer, type TestServer } from "../support/server.ts";

interface Document {
  readonly document_id: string;
  readonly hash: string;
  readonly metadata: Record<string, unknown>;
}

const documents = (count: number, metadata: Record<string, unknown> = {}): Document[] =>
  Array.from({ length: count }, () => ({
    document_id: randomBytes(8).toString("hex"),
    hash: randomBytes(32).toString("hex"),
    metadata: { timestamp: 7, ...metadata },
  }));

const folder = async (): Promise<[FolderReplica, string]> => {
  const replica = await folderReplica();
  return [replica, `file://${replica.path}`];
};
const bucket = async (): Promise<[BucketReplica, string]> => {
  const replica = await bucketReplica();
  return [
    replica,
    `s3://${replica.server.bucket}/journals/one?endpoint=${encodeURIComponent(replica.server.url)}&path_style=true`,
  ];
};

/** The responses to all queries of a client. */
async function everything(server: TestServer, requested: readonly Document[], reader: Login) {
  const proofs = new Map<string, ParsedJson>();
  for (const { document_id } of requested) {
    proofs.set(document_id, (await server.get(`/api/v1/proof/${encodeURIComponent(document_id)}`)).body);
  }
  const token = await server.login(reader);
  const found = await server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } });
  return {
    proofs,
    records: content(found, ROUTES.search).tparams.events as unknown[],
    count: Number((await server.get("/api/v1/status")).body.journal.records),
  };
}

const PERIODS = {
  replicaIntervalMilliseconds: 200,
  checkpointIntervalMilliseconds: 500,
  reconcileIntervalMilliseconds: 200,
  fullReconcileIntervalMilliseconds: 400,
} as const;

const replicated = async (server: TestServer): Promise<void> => {
  await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.journal.replica_lag, 0));
  // What comes next is an object of its own.
  await sleep(3 * PERIODS.replicaIntervalMilliseconds);
  await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.journal.replica_lag, 0));
};

/** Waits for a whole comparison of journal, chain and replica, and asserts that there was no finding. */
const assertReconciled = async (server: TestServer): Promise<void> => {
  const { last_reconciled: before } = (await server.get("/api/v1/status")).body.journal;
  await eventually(async () => {
    const { status, journal } = (await server.get("/api/v1/status")).body;
    assert.isAbove(journal.last_reconciled, (before ?? 0) + 1);
    assert.equal(status, "ok");
  });
  const { journal } = (await server.get("/api/v1/status")).body;
  assert.equal(journal.divergences, 0);
  assert.isEmpty(server.log.filter((line) => line.includes("journal_divergence")));
};

for (const [engine, openReplica] of [
  ["sqlite", folder],
  ["postgres", bucket],
] as const) {
  describe(`restore of a lost journal, on ${engine}`, () => {
    let chain: RemoteChain;
    let replica: BucketReplica | FolderReplica;
    let target: string;
    let directory: string;
    let database: EngineDatabase;
    let restored: EngineDatabase;
    let server: TestServer | undefined;
    /** What is left of the old journal. */
    let lines: string[];
    let earlier: Awaited<ReturnType<typeof everything>>;
    let full: Login;
    let reader: Login;
    const confirmed: Document[] = [];
    /** Accepted, without a known confirmation. */
    let mined: Document[];
    let unsent: Document[];

    const variables = (on: EngineDatabase): EnvironmentVariables => ({
      ...chain.variables,
      DATABASE_URL: on.url,
      REPLICA_TARGETS: target,
      PROOF_WAIT: "2",
    });
    const start = (on: EngineDatabase): Promise<TestServer> =>
      startServer(variables(on), { directory, overrides: FAST_RECHECK, settings: { journal: PERIODS } });
    // The key is lost with the disk, or there is a copy of it.
    const isKeyLost = engine === "postgres";
    const newKey = isKeyLost ? ["--new-key", "--reason", "the disk was lost", "--accept"] : [];
    const restoreVariables = (): EnvironmentVariables => ({
      RPC_URL: chain.proxy.url,
      DATA_DIR: directory,
      DATABASE_URL: restored.url,
    });
    const restore = (from = target) => runJournalScript(restoreVariables(), "restore", "--from", from, ...newKey);
    const isEmpty = async (on: EngineDatabase): Promise<void> =>
      assert.deepEqual(await on.query("select * from entries").catch(() => []), []);

    before(async () => {
      chain = await startRemoteChain();
      [replica, target] = await openReplica();
      [database, restored] = [await emptyDatabase(engine), await emptyDatabase(engine)];
      directory = await temporaryDirectory();
      await cp(join(chain.directory, "deployments"), join(directory, "deployments"), { recursive: true });
      server = await start(database);

      full = (await server.context.accounts?.create("full")) ?? assert.fail("no administrator");
      reader = (await server.context.accounts?.create("read")) ?? assert.fail("no administrator");
      const first = server;
      const token = await eventually(() => first.login(full));
      for (let n = 0; n < 5; n += 1)
        content(
          await server.call(ROUTES.store, { token }, { code: `c${n}`, topic: "t", payload: { n } }),
          ROUTES.store,
        );

      const singles = documents(5, { type: "order", source: "shop", 7: "seven", a: { b: [1.5, null, "ü\u2028"] } });
      for (const document of singles) await anchored(server, "/api/v1/proof", document);
      const together = documents(7);
      await anchored(server, "/api/v1/proof/batch", { documents: together });
      // Recorded texts without separators: these read alike, one in the same batch and one after it.
      const hash = randomBytes(32).toString("hex");
      const [one, two, three] = [
        ["like 1", 234],
        ["like 12", 34],
        ["like 123", 4],
      ].map(([document_id, timestamp]) => ({ document_id: String(document_id), hash, metadata: { timestamp } }));
      const alike = [one, two].flatMap((document) => document ?? []);
      await anchored(server, "/api/v1/proof/batch", { documents: [...documents(1), ...alike] });
      const late = three ?? assert.fail();
      await anchored(server, "/api/v1/proof", late);
      // A batch whose first transaction the node rejects gets another one.
      const whole = documents(6);
      let refusals = 1;
      chain.proxy.refusal = (raw) =>
        Transaction.from(raw).data.length > 10 + 64 && refusals-- > 0 ? "intrinsic gas too low" : undefined;
      await server.post("/api/v1/proof/batch", { documents: whole });
      await server.post("/api/v1/proof", whole[0]);
      await eventually(async () => {
        for (const { document_id } of whole)
          assert.equal((await first.get(`/api/v1/proof/${document_id}`)).body.status, "confirmed");
      });
      confirmed.push(...singles, ...together, ...alike, late, ...whole);
      // With a digest of it on the chain, and that confirmed.
      await eventually(async () =>
        assert.isNotEmpty(await database.query("select * from confirmations where checkpoint is not null")),
      );
      await replicated(server);
      const status = (await server.get("/api/v1/status")).body;
      assert.equal(
        status.journal.divergences,
        0,
        server.log.filter((line) => line.includes("journal_divergence")).join("\n"),
      );
      earlier = await everything(server, confirmed, reader);

      // The chain has these, and the journal never hears of it.
      chain.proxy.intercept = only(RECEIPTS, () => "cut");
      mined = documents(4);
      assert.equal((await server.post("/api/v1/proof/batch", { documents: mined })).status, 202);
      await eventually(async () => assert.isAbove(chain.proxy.delivered.length, 0));
      chain.proxy.intercept = only([...RECEIPTS, SEND], () => "cut");
      unsent = documents(3);
      assert.equal((await server.post("/api/v1/proof/batch", { documents: unsent })).status, 202);
      await replicated(server);
      await server.stop("keep");
      server = undefined;
      lines = await journalLines(database);
      await rm(directory, { recursive: true });
      if (!isKeyLost) await putKey(directory);
      await database.remove();
      chain.proxy.mode = "pass";
    });
    after(async () => {
      await server?.stop("keep");
      await restored.remove();
      await replica.close();
      await chain.close();
      await removeDirectory(directory);
    });

    it("fails without a replica, and from another journal's", async () => {
      const empty = await temporaryDirectory();
      const nothing = await restore(`file://${empty}`);
      assert.equal(nothing.code, 1, nothing.err);
      assert.match(nothing.err, /there is no replica at/);
      const other = await restore("file://relative,s3://two/of");
      assert.equal(other.code, 1, other.err);
      const [key = ""] = await replica.list();
      const genuine = await replica.get(key);
      // The name of the journal is in the first line.
      const at = genuine.indexOf("EventTable 0x") + "EventTable 0x".length;
      const foreign = Buffer.from(genuine);
      foreign.write(genuine.toString("latin1", at, at + 2) === "00" ? "11" : "00", at);
      await replica.put(key, foreign);
      const refused = await restore();
      assert.equal(refused.code, 1, refused.err);
      if (!isKeyLost) assert.isFalse(existsSync(join(directory, "deployments")), "the name has no code of the key");
      // A server would begin a new journal in a database with tables.
      assert.isEmpty(
        await restored.query("select 1 from entries").then(
          () => ["tables"],
          () => [],
        ),
      );
      await replica.put(key, genuine);
      await rm(join(directory, "deployments"), { recursive: true, force: true });
      await removeDirectory(empty);
    });

    it("fails while the chain is unavailable, and leaves the database empty", async () => {
      chain.proxy.mode = "off";
      const { code, err } = await restore();
      chain.proxy.mode = "pass";
      assert.equal(code, 1, err);
      assert.match(err, /^journal: /);
      await isEmpty(restored);
    });

    it("needs the journal's key, or a new one with a reason", async () => {
      const empty = await temporaryDirectory();
      const variables = { ...restoreVariables(), DATA_DIR: empty, JOURNAL_KEY_FILE: join(empty, "none") };
      const without = await runJournalScript(variables, "restore", "--from", target);
      assert.equal(without.code, 1);
      assert.match(without.err, /none is missing: restore it from a backup, or use --new-key/);
      assert.isFalse(existsSync(join(empty, "deployments")), "nothing of the replica is believed");
      await removeDirectory(empty);
      await isEmpty(restored);
    });

    // Security, replica: cannot get a changed object restored
    it("fails for a changed object, which it names", async () => {
      const key = (await replica.list()).at(1) ?? assert.fail("there are not two objects");
      const genuine = await replica.get(key);
      const forged = Buffer.from(genuine);
      forged.writeUInt8(forged.readUInt8(forged.length - 20) ^ 1, forged.length - 20);
      await replica.put(key, forged);
      const { code, err } = await restore();
      await replica.put(key, genuine);
      assert.equal(code, 1, err);
      assert.include(err, key);
      await isEmpty(restored);
    });

    it("leaves an empty database when interrupted", async () => {
      // The chain is queried last.
      const requested = Promise.withResolvers<void>();
      chain.proxy.intercept = only(["eth_call"], () => {
        requested.resolve();
        return hang();
      });
      const script = startJournalScript(restoreVariables(), "restore", "--from", target, ...newKey);
      await Promise.race([requested.promise, script.outcome]);
      script.kill();
      const { code } = await script.outcome;
      chain.proxy.mode = "pass";
      assert.isNull(code, "it was killed");
      await isEmpty(restored);
    });

    it("returns the complete journal, with which the server runs", async () => {
      const { code, out, err } = await restore();
      assert.equal(code, 0, err);
      assert.include(out, `Restored ${lines.length} entries`);
      assert.include(out, "4 of them were confirmed on the chain without an entry; 3 are to be anchored yet.");
      const now = await journalLines(restored);
      assert.deepEqual(now.slice(0, lines.length), lines);

      const again = await runJournalScript(restoreVariables(), "restore", "--from", target);
      assert.equal(again.code, 1);
      assert.match(again.err, /the database is not empty/);

      // The rows in the former replica have codes of the lost key.
      if (isKeyLost) target = target.replace("journals/one", "journals/two");
      const running = (server = await start(restored));
      await eventually(async () => {
        for (const { document_id } of [...mined, ...unsent]) {
          assert.equal((await running.get(`/api/v1/proof/${document_id}`)).body.status, "confirmed");
        }
      });
      // Accounts and records come back with the copy of the chain's log.
      await eventually(() => running.login(reader));
      const after = await eventually(async () => {
        const found = await everything(running, confirmed, reader);
        assert.lengthOf(found.records, 5);
        return found;
      });
      assert.deepEqual(withoutLinks(after.proofs), withoutLinks(earlier.proofs));
      assert.deepEqual(after.records, earlier.records);
      assert.equal(after.count, earlier.count + mined.length + unsent.length);
      for (const { hash } of [...confirmed, ...mined, ...unsent])
        assert.isTrue((await running.get(`/api/v1/verify?hash=${hash}`)).body.valid);

      const token = await running.login(full);
      content(await running.call(ROUTES.store, { token }, { code: "after", topic: "t", payload: {} }), ROUTES.store);
      for (const document of documents(3)) await anchored(running, "/api/v1/proof", document);
      const [known] = confirmed;
      assert.equal((await running.post("/api/v1/proof", known)).status, 200);

      // It goes on in its replica, and all agree.
      await replicated(running);
      await assertReconciled(running);
      await running.stop("keep");
      server = undefined;
      assert.deepEqual((await journalLines(restored)).slice(0, now.length), now);
    });
  });
}

describe("restore of a lost journal, with the embedded chain", () => {
  it("needs the chain's folder and its keys, and reports when they are missing", async () => {
    const [replica, target] = await folder();
    const [directory, backup] = [await temporaryDirectory(), await temporaryDirectory()];
    const variables = { REPLICA_TARGETS: target };
    const restore = () => runJournalScript({ DATA_DIR: directory, CHAIN_PORT: "0" }, "restore", "--from", target);
    let server = await startServer(variables, { directory, settings: { journal: PERIODS } });
    try {
      const { demo } = server;
      const requested = documents(3);
      for (const document of requested) await anchored(server, "/api/v1/proof", document);
      const token = await server.login();
      content(await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: {} }), ROUTES.store);
      const earlier = await everything(server, requested, demo);
      await replicated(server);
      await server.stop("keep");
      for (const name of ["chain", "keys.json", "journal.key"])
        await cp(join(directory, name), join(backup, name), { recursive: true });
      await rm(directory, { recursive: true });

      const unkeyed = await restore();
      assert.equal(unkeyed.code, 1, unkeyed.err);
      assert.match(unkeyed.err, /journal\.key is missing/);
      await cp(join(backup, "journal.key"), join(directory, "journal.key"));
      const missing = await restore();
      assert.equal(missing.code, 1, missing.err);
      assert.match(missing.err, /there is no chain in/);
      await cp(join(backup, "chain"), join(directory, "chain"), { recursive: true });
      const keyless = await restore();
      assert.equal(keyless.code, 1, keyless.err);
      assert.match(keyless.err, /keys\.json is missing/);
      await cp(join(backup, "keys.json"), join(directory, "keys.json"));
      const { code, err } = await restore();
      assert.equal(code, 0, err);

      server = await startServer(variables, { directory, settings: { journal: PERIODS } });
      const running = server;
      await eventually(() => running.login(demo));
      const after = await everything(running, requested, demo);
      assert.deepEqual(withoutLinks(after.proofs), withoutLinks(earlier.proofs));
      assert.deepEqual(after.records, earlier.records);
      for (const document of documents(2)) await anchored(running, "/api/v1/proof", document);
      await assertReconciled(running);
    } finally {
      await server.stop();
      await replica.close();
      await removeDirectory(backup);
    }
  });
});

/** Without the links, which depend on the server's port. */
function withoutLinks(proofs: ReadonlyMap<string, ParsedJson>): unknown {
  return [...proofs].map(([id, { verification_url: _, history, ...rest }]) => [id, rest, history?.length]);
}
