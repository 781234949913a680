import { assert } from "chai";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { fullPasses } from "../support/full-passes.ts";
import { journalLines } from "../support/journal-lines.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { allTransactions } from "../support/rpc.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Long enough for the confirmation of a proof, so that few checkpoints fall between the two. */
const CHECKPOINT_INTERVAL = 2_000;
const RECONCILE_INTERVAL = 500;
const PERIODS = {
  checkpointIntervalMilliseconds: CHECKPOINT_INTERVAL,
  reconcileIntervalMilliseconds: RECONCILE_INTERVAL,
  fullReconcileIntervalMilliseconds: RECONCILE_INTERVAL,
};
/** Full comparisons in which another checkpoint would appear: they take longer than the interval of checkpoints. */
const QUIET_PASSES = 2.5 * (CHECKPOINT_INTERVAL / RECONCILE_INTERVAL);

for (const engine of ENGINES)
  describe(`checkpoints of the journal on the chain, on ${engine}`, () => {
    let chain: RemoteChain;
    let database: EngineDatabase;
    const servers: TestServer[] = [];
    /** Checkpoints so far. */
    let known = 0;

    const start = async (): Promise<TestServer> => {
      const variables = { ...chain.variables, DATABASE_URL: database.url };
      const server = await startServer(variables, { directory: chain.directory, settings: { journal: PERIODS } });
      servers.push(server);
      return server;
    };
    const stop = async (): Promise<void> => {
      for (const server of servers.splice(0)) await server.stop("keep");
    };
    const checkpoints = (): Promise<Record<string, unknown>[]> =>
      database.query(
        "select checkpoint, hash, sequence from confirmations where checkpoint is not null order by sequence",
      );
    const unsettled = (): Promise<Record<string, unknown>[]> =>
      database.query("select id from transactions where state in ('queued', 'sent')");
    const prove = async (server: TestServer): Promise<void> => {
      const [document] = freshDocuments(1);
      assert.equal((await server.post("/api/v1/proof", document)).status, 201);
    };
    /**
     * Waits until the newest checkpoint is over everything but its own confirmation, and makes sure that nothing
     * follows.
     * @param more How many there may be more: two when one falls between a proof and its confirmation
     */
    const assertCovered = async (more: readonly number[]): Promise<void> => {
      const before = known;
      await eventually(async () => {
        const [head] = await database.query("select max(last_sequence) as sequence from entries");
        const newest = (await checkpoints()).at(-1);
        assert.equal(
          Number(newest?.["sequence"]),
          Number(head?.["sequence"]),
          "the newest entry confirms the newest checkpoint",
        );
        assert.equal(Number(newest?.["checkpoint"]), Number(head?.["sequence"]) - 1);
      });
      known = (await checkpoints()).length;
      assert.include(more, known - before);
      await fullPasses(chain.directory, QUIET_PASSES);
      assert.lengthOf(await checkpoints(), known);
      assert.deepEqual(await unsettled(), []);
    };

    before(async () => {
      chain = await startRemoteChain();
      database = await emptyDatabase(engine);
    });
    after(async () => {
      await stop();
      await chain.close();
      await database.remove();
    });

    it("follow new entries once per interval, and cause no further checkpoint", async () => {
      const server = await start();
      await fullPasses(chain.directory, QUIET_PASSES);
      assert.deepEqual(await checkpoints(), [], "there is nothing to anchor");
      await prove(server);
      await assertCovered([1, 2]);
      await prove(server);
      await assertCovered([1, 2]);
      const onChain = (await allTransactions(chain.url)).map(({ input }) => input.slice(10, 74));
      for (const { hash } of await checkpoints())
        assert.lengthOf(
          onChain.filter((each) => each === Buffer.from(hash as Uint8Array).toString("hex")),
          1,
        );
    });

    it("are not repeated after a restart without new entries", async () => {
      await stop();
      await start();
      await assertCovered([0]);
      await stop();
      const server = await start();
      await prove(server);
      await assertCovered([1, 2]);
    });

    it("match the digest of the entries", async () => {
      await stop();
      const lines = await journalLines(database);
      for (const { checkpoint } of await checkpoints())
        assert.include(lines[Number(checkpoint) - 1], `{"sequence":${Number(checkpoint)},`);
      assert.lengthOf(await database.query("select checkpoint from anchors where checkpoint is not null"), known);
    });
  });
