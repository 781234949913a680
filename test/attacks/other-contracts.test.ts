import { createHash } from "node:crypto";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { Wallet } from "ethers";
import { type Deployment, deploy, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { verifyBundle } from "../../verifier/verify.mjs";
import { anchored } from "../support/anchored.ts";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { FEES } from "../support/fees.ts";
import { runJournalScript } from "../support/journal-script.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { type FolderReplica, folderReplica } from "../support/test-replica.ts";

const CHAIN_ID = 7326;
const HASH = createHash("sha256").update("content").digest("hex");

for (const engine of ENGINES)
  describe(`other contracts than the journal has used, on ${engine}`, function () {
    let chain: RemoteChain;
    let replica: FolderReplica;
    let database: EngineDatabase;
    let old: Deployment;
    let fresh: Deployment;
    let bundle: string;

    const file = (name: string): string => join(chain.directory, `${name}.json`);
    const use = (name: string): Promise<void> => copyFile(file(name), deploymentFile(chain.directory, CHAIN_ID));
    const deployed = async (name: string): Promise<Deployment> => {
      const rpc = connectRpc(chain.url, CHAIN_ID);
      try {
        return await deploy({
          rpc,
          administrator: new Wallet(chain.variables["ADMIN_KEY"] ?? ""),
          relayer: chain.relayer,
          lifetime: 3600,
          minimumToExtend: 15,
          fees: FEES,
          file: file(name),
          onDeployed: () => undefined,
        });
      } finally {
        rpc.close();
      }
    };
    const start = (changes: EnvironmentVariables = {}): Promise<TestServer> =>
      startServer(
        {
          ...chain.variables,
          DATABASE_URL: database.url,
          REPLICA_TARGETS: `file://${replica.path}`,
          ...changes,
        },
        { directory: chain.directory, settings: { journal: { replicaIntervalMilliseconds: 200 } } },
      );
    const refusal = (changes: EnvironmentVariables = {}): Promise<string> =>
      start(changes).then(
        () => assert.fail("it starts"),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );

    before(async () => {
      chain = await startRemoteChain();
      replica = await folderReplica();
      database = await emptyDatabase(engine);
      await copyFile(deploymentFile(chain.directory, CHAIN_ID), file("old"));
      old = await deployed("old");
      fresh = await deployed("fresh");
      const server = await start();
      await anchored(server, "/api/v1/proof", { document_id: "a", hash: HASH, metadata: { timestamp: 7 } });
      const token = await server.login(await server.context.accounts?.create("full"));
      const stored = await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: {} });
      content(stored, ROUTES.store);
      bundle = (await server.get("/api/v1/proof/a?format=bundle")).text;
      await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.journal.replica_lag, 0));
      await server.stop("keep");
    });
    after(async () => {
      await chain.close();
      await replica.close();
      await database.remove();
    });

    // Security, administrator key: cannot make a server continue its journal with other contracts: it does not start
    it("stop the start, which names both", async () => {
      await use("fresh");
      const message = await refusal();
      assert.include(message, old.contracts.SessionRegistry);
      assert.include(message, fresh.contracts.SessionRegistry);
      assert.match(message, /new contracts are a new installation/);
      await use("old");
    });

    // Security, administrator key: cannot invalidate proofs with other contracts: each names the one that it is in
    it("change nothing of a proof, which is verified in the contract that it names", async () => {
      const trustedKey: string = JSON.parse(bundle).signature.key_id;
      const verified = (contract: string) => verifyBundle(bundle, HASH, { contract, trustedKey });
      assert.isTrue((await verified(old.contracts.ProofAnchor)).ok);
      assert.isFalse((await verified(fresh.contracts.ProofAnchor)).ok);
    });

    it("stop a restore from the replica, and a server on a restored journal", async () => {
      const restored = await emptyDatabase(engine);
      try {
        const variables = { RPC_URL: chain.proxy.url, DATA_DIR: chain.directory, DATABASE_URL: restored.url };
        const restore = () => runJournalScript(variables, "restore", "--from", `file://${replica.path}`);
        await use("fresh");
        const refused = await restore();
        assert.equal(refused.code, 1);
        assert.match(refused.err, /the replica belongs to .*; here is /);
        await use("old");
        const outcome = await restore();
        assert.equal(outcome.code, 0, outcome.err);
        await use("fresh");
        assert.include(await refusal({ DATABASE_URL: restored.url }), old.contracts.ProofAnchor);
        await use("old");
        const server = await start({ DATABASE_URL: restored.url });
        // The replica may lack the newest entry: then nothing is answered before an operator accepts the journal.
        if (outcome.out.includes("until you accept this one")) {
          const accepted = await runJournalScript(variables, "resolve", "head", "--all", "--reason", "restored");
          assert.equal(accepted.code, 0, accepted.err);
        }
        await eventually(async () => {
          const verified = await server.get(`/api/v1/verify?hash=${HASH}`);
          assert.isTrue(verified.body.valid, verified.text);
        });
        await server.stop("keep");
      } finally {
        await restored.remove();
      }
    });

    // Security, administrator key: cannot make records disappear from searches with another table: it does not start
    it("and another table stops the start", async () => {
      assert.match(await refusal({ TABLE_NAME: "another" }), /in table "events", but TABLE_NAME is "another"/);
      // Also before the first record.
      const empty = await emptyDatabase(engine);
      const server = await start({ DATABASE_URL: empty.url, TABLE_NAME: "mistyped", NEW_JOURNAL: "yes" });
      await server.stop("keep");
      assert.match(await refusal({ DATABASE_URL: empty.url, NEW_JOURNAL: "yes" }), /in table "mistyped"/);
      await empty.remove();
    });
  });
