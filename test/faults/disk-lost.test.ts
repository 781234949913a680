import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { temporaryDirectory, removeDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments, idOf, type ProofRequest } from "../support/exactly-once.ts";
import { runJournalScript } from "../support/journal-script.ts";
import { startProcess } from "../support/process.ts";
import { bucketReplica, folderReplica } from "../support/test-replica.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { FAST_RECHECK, startServer, type TestServer } from "../support/server.ts";

const CLIENTS = 100;
const WAIT_SECONDS = 4;

/** Posts until the server is gone; returns the documents with a response. */
async function postUntilGone(server: Pick<TestServer, "post">, acknowledged: ProofRequest[]): Promise<void> {
  for (;;) {
    const documents = freshDocuments(1);
    const response = await server.post("/api/v1/proof", documents[0]).catch(() => undefined);
    if (response === undefined) return;
    assert.oneOf(response.status, [201, 202, 503], response.text);
    // Not acknowledged: the replica did not take it in time.
    if (response.status === 503) continue;
    acknowledged.push(...documents);
  }
}

for (const [kind, open] of [
  [
    "folder",
    async () => {
      const replica = await folderReplica();
      return { place: replica, target: `file://${replica.path}` };
    },
  ],
  [
    "bucket",
    async () => {
      const replica = await bucketReplica();
      const endpoint = encodeURIComponent(replica.server.url);
      return {
        place: replica,
        target: `s3://${replica.server.bucket}/journals/one?endpoint=${endpoint}&path_style=true`,
      };
    },
  ],
] as const) {
  describe(`a lost disk with REPLICA_MODE=sync, with a replica in a ${kind}`, () => {
    let chain: RemoteChain;
    let disk: string;
    let replica: Awaited<ReturnType<typeof open>>;
    before(async () => {
      chain = await startRemoteChain();
      replica = await open();
      disk = await temporaryDirectory();
      await cp(join(chain.directory, "deployments"), join(disk, "deployments"), { recursive: true });
    });
    after(async () => {
      await chain.close();
      await replica.place.close();
      await removeDirectory(disk);
    });

    it("loses no acknowledged proof", async () => {
      const variables = {
        ...chain.variables,
        REPLICA_TARGETS: replica.target,
        REPLICA_MODE: "sync",
        BATCH_MAX_AGE: "1",
        PROOF_WAIT: "2",
        ...(kind === "bucket" ? { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" } : {}),
      };
      const server = await startProcess(disk, variables, {
        ...FAST_RECHECK,
        // Without the wait for the replica nearly everything would be lost.
        settings: { journal: { replicaIntervalMilliseconds: 3_600_000, replicaLagLimitMilliseconds: 7_200_000 } },
      });
      const acknowledged: ProofRequest[] = [];
      const clients = Array.from({ length: CLIENTS }, () => postUntilGone(server, acknowledged));
      await eventually(async () => assert.isAbove(acknowledged.length, 300));
      await Promise.all([server.end("SIGKILL"), rm(disk, { recursive: true, force: true })]);
      await Promise.all(clients);
      await rm(disk, { recursive: true, force: true });

      const restored = await runJournalScript(
        { RPC_URL: chain.proxy.url, DATA_DIR: disk },
        "restore",
        "--from",
        replica.target,
      );
      assert.equal(restored.code, 0, restored.err);
      const again = await startServer(chain.variables, { directory: disk });
      try {
        const lost: ProofRequest[] = [];
        for (const document of acknowledged)
          if ((await again.get(`/api/v1/proof/${idOf(document)}`)).status !== 200) lost.push(document);
        assert.isEmpty(lost, `${lost.length} of ${acknowledged.length} are lost`);
      } finally {
        await again.stop("keep");
      }
    });
  });
}

describe("an unavailable replica with REPLICA_MODE=sync", () => {
  it("causes rejected proofs and one alert, and receives all entries when it is available again", async () => {
    const replica = await folderReplica();
    const server = await startServer({
      REPLICA_TARGETS: `file://${replica.path}`,
      REPLICA_MODE: "sync",
      PROOF_WAIT: String(WAIT_SECONDS),
    });
    try {
      const [first = assert.fail(), second, third = assert.fail()] = freshDocuments(3);
      await anchored(server, "/api/v1/proof", first);
      await replica.makeUnavailable();
      const unreplicated = await server.post("/api/v1/proof", second);
      assert.equal(unreplicated.status, 503, unreplicated.text);
      assert.equal(unreplicated.body.type, "urn:sealbook:problem:journal_unavailable");
      assert.match(unreplicated.body.detail, /REPLICA_MODE=sync/);
      assert.match(unreplicated.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
      const before = performance.now();
      const refused = await server.post("/api/v1/proof", third);
      assert.equal(refused.status, 503);
      assert.isBelow(performance.now() - before, 900 * WAIT_SECONDS, "it does not wait again");
      assert.equal((await server.get("/api/v1/status")).body.status, "degraded");
      const alerts = async (): Promise<string[]> =>
        (await server.get("/api/v1/alerts")).body.alerts
          .filter(({ subject }: { subject?: string }) => subject === "replication")
          .map(({ state }: { state: string }) => state);
      await eventually(async () => assert.deepEqual(await alerts(), ["raised"]));

      await replica.makeAvailable();
      await eventually(async () => assert.deepEqual(await alerts(), ["resolved"]));
      assert.equal((await server.get("/api/v1/status")).body.status, "ok");
      await eventually(async () =>
        assert.equal((await server.post("/api/v1/proof", second)).status, 200, "it was kept"),
      );
      await anchored(server, "/api/v1/proof", third);
    } finally {
      await server.stop();
      await replica.close();
    }
  });

  it("receives few segments, which entries of many requests share", async () => {
    const replica = await folderReplica();
    const server = await startServer({
      REPLICA_TARGETS: `file://${replica.path}`,
      REPLICA_MODE: "sync",
      // All of them are confirmed in it, also on a slow machine.
      PROOF_WAIT: "300",
    });
    try {
      const started = performance.now();
      const responses = await Promise.all(
        freshDocuments(400).map((document) => server.post("/api/v1/proof", document)),
      );
      assert.deepEqual([...new Set(responses.map(({ status }) => status))], [201]);
      const seconds = (performance.now() - started) / 1000;
      const segments = (await replica.list()).filter((name) => /\d{12}\.json$/.test(name)).length;
      assert.isAtMost(segments, 2 + seconds / 0.1);
    } finally {
      await server.stop();
      await replica.close();
    }
  });
});
