import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { Wallet } from "ethers";
import { INTERFACES } from "../../../server/chain/contracts/interfaces.ts";
import { journalLines } from "../../support/journal-lines.ts";
import { emptyDatabase, ENGINES } from "../../support/database.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import { fullPasses } from "../../support/full-passes.ts";
import { freshDocuments } from "../../support/exactly-once.ts";
import { runJournalScript } from "../../support/journal-script.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import { startRawNode } from "../../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../../support/remote-chain.ts";
import { rpcCall } from "../../support/rpc.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const PERIOD = 200;
const PERIODS = { reconcileIntervalMilliseconds: PERIOD, fullReconcileIntervalMilliseconds: PERIOD };
const REASON = "The key was stolen on 3 May; the police has the case";

for (const engine of ENGINES)
  describe(`the command that acknowledges divergences, on ${engine}`, function () {
    let chain: RemoteChain;
    let database: EngineDatabase;
    let server: TestServer;
    let contract: string;

    const variables = () => ({ ...chain.variables, DATABASE_URL: database.url });
    const start = (): Promise<TestServer> =>
      startServer(variables(), { directory: chain.directory, settings: { journal: PERIODS } });
    const run = (...args: string[]) =>
      runJournalScript({ ...variables(), DATA_DIR: chain.directory }, "resolve", ...args);
    const divergences = async (): Promise<number> => (await server.get("/api/v1/status")).body.journal.divergences;
    const alerts = async (state: string): Promise<ParsedJson[]> =>
      (await server.get("/api/v1/alerts")).body.alerts.filter(
        (each: ParsedJson) => each.alert === "journal_divergence" && each.state === state,
      );
    /** Anchors a hash with the relayer's key, without the journal. */
    const steal = async (hash: Uint8Array): Promise<void> => {
      const relayer = new Wallet(chain.variables.RELAYER_KEY ?? "");
      const data = INTERFACES.ProofAnchor.encodeFunctionData("anchor", [hash]);
      const chainId = Number(await rpcCall(chain.url, "eth_chainId"));
      // The server's own may use the nonce before.
      await eventually(async () => {
        const nonce = Number(await rpcCall(chain.url, "eth_getTransactionCount", relayer.address, "latest"));
        const fees = { gasLimit: 500_000, gasPrice: 0, type: 0 };
        const raw = await relayer.signTransaction({ to: contract, data, nonce, chainId, ...fees });
        await rpcCall(chain.url, "eth_sendRawTransaction", raw);
      });
    };

    before(async () => {
      chain = await startRemoteChain(startRawNode);
      database = await emptyDatabase(engine);
      server = await start();
      const { body } = await server.post("/api/v1/proof/batch", { documents: freshDocuments(2) });
      contract = body.proofs[0].proof.contract;
    });
    after(async () => {
      await server.stop("keep");
      await chain.close();
      await database.remove();
    });

    it("makes an entry of the journal of it, resolves the alert, and lasts over a restart", async () => {
      const hash = randomBytes(32);
      const subject = `anchor ${hash.toString("hex")}`;
      await steal(hash);
      await eventually(async () => assert.equal(await divergences(), 1));
      await eventually(async () => assert.lengthOf(await alerts("raised"), 1));
      const listed = await run();
      assert.equal(listed.code, 0, listed.err);
      assert.match(
        listed.out,
        new RegExp(`^${subject}: the chain has a hash in block \\d+.*the journal does not know\\n$`),
      );

      const refused = await run(subject);
      assert.deepEqual([refused.code, refused.out], [2, ""]);
      assert.include(refused.err, "--reason");
      assert.equal((await run("anchor 12", "--reason", REASON)).code, 1);
      assert.equal(await divergences(), 1);

      const done = await run(subject, "--reason", REASON);
      assert.deepEqual([done.code, done.err, done.out], [0, "", "1 divergence is acknowledged\n"]);
      await eventually(async () => assert.equal(await divergences(), 0));
      await eventually(async () => assert.isEmpty(await alerts("raised")));
      assert.lengthOf(await alerts("resolved"), 1);
      assert.equal((await run()).out, "");

      const resolutions = (await journalLines(database))
        .map((text): ParsedJson => JSON.parse(text))
        .filter(({ kind }) => kind === "resolution");
      assert.lengthOf(resolutions, 1);
      assert.deepInclude(resolutions[0], { reason: REASON, divergence: listed.out.trimEnd() });
      const checked = await runJournalScript({ ...variables(), DATA_DIR: chain.directory }, "check", "--offline");
      assert.equal(checked.code, 0, checked.out);

      await server.stop("keep");
      server = await start();
      await fullPasses(chain.directory, 2);
      assert.equal(await divergences(), 0);
      assert.isEmpty(await alerts("raised"));
      assert.lengthOf(await alerts("resolved"), 1);
    });

    it("acknowledges all of one kind, also while no server runs; others are found as before", async () => {
      const hashes = [randomBytes(32), randomBytes(32), randomBytes(32)];
      for (const hash of hashes) await steal(hash);
      await eventually(async () => assert.equal(await divergences(), hashes.length));
      await server.stop("keep");
      const done = await run("anchor", "--all", "--reason", REASON);
      assert.deepEqual([done.code, done.out], [0, "3 divergences are acknowledged\n"], done.err);
      server = await start();
      await eventually(async () => assert.isEmpty(await alerts("raised")));
      await fullPasses(chain.directory, 2);
      assert.equal(await divergences(), 0);
      assert.isEmpty(await alerts("raised"));

      await steal(randomBytes(32));
      await eventually(async () => assert.equal(await divergences(), 1));
      await eventually(async () => assert.lengthOf(await alerts("raised"), 1));
    });
  });
