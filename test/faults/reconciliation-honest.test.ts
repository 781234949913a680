import { assert } from "chai";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { type Engine, emptyDatabase, ENGINES } from "../support/database.ts";
import { assertExactlyOnce, freshDocuments } from "../support/exactly-once.ts";
import { fullPasses } from "../support/full-passes.ts";
import { startLoad } from "../support/load.ts";
import { inParallel } from "../support/parallel.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { startRemoteChain } from "../support/remote-chain.ts";
import { folderReplica } from "../support/test-replica.ts";

const PERIODS = {
  replicaIntervalMilliseconds: 1_000,
  reconcileIntervalMilliseconds: 1_000,
  fullReconcileIntervalMilliseconds: 1_000,
};

describe("reconciliation of an honest journal, replica and chain", () => {
  const undisturbed = (engine: Engine) => async (): Promise<void> => {
    const chain = await startRemoteChain(startRawNode);
    const database = await emptyDatabase(engine);
    const replica = await folderReplica();
    const variables: EnvironmentVariables = {
      ...chain.variables,
      DATABASE_URL: database.url,
      REPLICA_TARGETS: `file://${replica.path}`,
      CHECKPOINT_INTERVAL: "1",
      BATCH_MAX_AGE: "1",
    };
    let server: ServerProcess | undefined;
    try {
      for (const signal of ["SIGKILL", "SIGTERM", "SIGKILL"] as const) {
        const running = (server = await startProcess(chain.directory, variables, { settings: { journal: PERIODS } }));
        const load = startLoad(running, [200, 201, 202, 503]);
        await load.confirms(40);
        await fullPasses(chain.directory, 2);
        await running.end(signal);
        // Clients disconnected by the kill get no response.
        await load.end().catch(() => undefined);
        assert.notInclude(running.output(), "journal_divergence");
      }
      const running = (server = await startProcess(chain.directory, variables, { settings: { journal: PERIODS } }));
      const documents = freshDocuments(3);
      for (const document of documents) assert.equal((await running.post("/api/v1/proof", document)).status, 201);
      await fullPasses(chain.directory, 2);
      await assertExactlyOnce(running, chain.url, { accepted: documents });
      assert.equal((await running.get("/api/v1/status")).body.journal.divergences, 0);
      assert.notInclude(running.output(), "journal_divergence");
      assert.notInclude(running.output(), "could not be compared");
    } finally {
      await server?.end("SIGKILL");
      await chain.close();
      await replica.close();
      await database.remove();
    }
  };
  inParallel(
    Object.fromEntries(
      ENGINES.map((engine) => [
        `agree all the time, under load, over restarts and kills, on ${engine}`,
        undisturbed(engine),
      ]),
    ),
  );
});
