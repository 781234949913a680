import { createHash } from "node:crypto";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { Wallet } from "ethers";
import { type Deployment, deploy, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { verifyBundle } from "../../verifier/verify.mjs";
import { accountCommand } from "../../scripts/commands/account.ts";
import { anchored } from "../support/anchored.ts";
import { runHere } from "../support/command.ts";
import { emptyDatabase } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { runJournalScript } from "../support/journal-script.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { type Login, ROUTES, startServer, type TestServer } from "../support/server.ts";
import { type FolderReplica, folderReplica } from "../support/test-replica.ts";
import { withoutProgress } from "../support/without-progress.ts";
import { FEES } from "../support/fees.ts";

const CHAIN_ID = 7326;
const PERIODS = {
  replicaIntervalMilliseconds: 200,
  reconcileIntervalMilliseconds: 100,
  fullReconcileIntervalMilliseconds: 200,
} as const;
const CONFIRMED = { NEW_CONTRACTS: "yes" } as const;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

for (const engine of ["sqlite", "postgres"] as const)
  describe(`contracts that are exchanged, on ${engine}`, function () {
    let chain: RemoteChain;
    let replica: FolderReplica;
    let database: EngineDatabase;
    let server: TestServer | undefined;
    let old: Deployment;
    let fresh: Deployment;
    let first: Login;
    let second: Login;

    const file = (name: string): string => join(chain.directory, `${name}.json`);
    const use = (name: string): Promise<void> => copyFile(file(name), deploymentFile(chain.directory, CHAIN_ID));
    const deployed = async (name: string): Promise<Deployment> => {
      const rpc = connectRpc(chain.url, CHAIN_ID);
      try {
        return await deploy({
          rpc,
          administrator: new Wallet(chain.variables.ADMIN_KEY ?? ""),
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
    const variables = (changes: EnvironmentVariables): EnvironmentVariables => ({
      ...chain.variables,
      DATABASE_URL: database.url,
      REPLICA_TARGETS: `file://${replica.path}`,
      ...changes,
    });
    const stopped = async (): Promise<void> => {
      const running = server;
      server = undefined;
      await running?.stop("keep");
    };
    const start = async (changes: EnvironmentVariables = {}): Promise<TestServer> => {
      await stopped();
      return (server = await startServer(variables(changes), {
        directory: chain.directory,
        settings: { journal: PERIODS },
      }));
    };
    const refusal = async (changes: EnvironmentVariables = {}): Promise<string> =>
      start(changes).then(
        () => assert.fail("it starts"),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    const document = (name: string) => ({ document_id: name, hash: sha256(name), metadata: { timestamp: 7 } });
    const stored = async (on: TestServer, account: Login, code: string): Promise<void> => {
      const token = await on.login(account);
      const response = await on.call(ROUTES.store, { token }, { code, topic: "t", payload: {} });
      content(response, ROUTES.store);
    };
    const codes = async (on: TestServer, account: Login): Promise<string[]> => {
      const token = await on.login(account);
      const response = await on.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } });
      return content(response, ROUTES.search).tparams.events.map(([, code]: [string, string]) => code);
    };
    const account = async (on: TestServer): Promise<Login> => {
      const created = await on.context.accounts?.create("full");
      return created ?? assert.fail("there is no administrator");
    };
    /** Checks everything that the server says about a proof. */
    const assertProven = async (on: TestServer, name: string, contract: string): Promise<void> => {
      const { body } = await on.get(`/api/v1/proof/${name}`);
      assert.deepEqual([body.status, body.proof.contract], ["confirmed", contract], name);
      assert.isTrue((await on.get(`/api/v1/verify?hash=${sha256(name)}`)).body.valid, name);
      const bundle = await on.get(`/api/v1/proof/${name}?format=bundle`);
      const trustedKey = bundle.body.signature.key_id;
      const verified = await verifyBundle(bundle.text, sha256(name), { contract, trustedKey });
      assert.isTrue(verified.ok, JSON.stringify(verified));
      const other = contract === fresh.contracts.ProofAnchor ? old : fresh;
      assert.isFalse(
        (
          await verifyBundle(bundle.text, sha256(name), {
            contract: other.contracts.ProofAnchor,
            trustedKey,
          })
        ).ok,
      );
      const attested = await on.post("/api/v1/recovery/attest", { document_id: name, audience: "court" });
      assert.equal(attested.status, 200, attested.text.slice(0, 300));
      const { statement } = attested.body;
      assert.deepEqual([statement.chain.contract, statement.records[0].contract], [contract, contract]);
      assert.include(JSON.stringify(statement.steps), contract);
    };
    /** Waits for a whole comparison of journal, chain and replica without a finding. */
    const assertReconciled = async (on: TestServer): Promise<void> => {
      const reconciled = async (): Promise<ParsedJson> => (await on.get("/api/v1/status")).body.journal;
      const { last_reconciled: before } = await reconciled();
      await eventually(async () => {
        const { last_reconciled, divergences } = await reconciled();
        assert.isAbove(last_reconciled, (before ?? 0) + 1);
        assert.equal(divergences, 0);
      });
      assert.equal((await reconciled()).divergences, 0);
    };

    before(async () => {
      chain = await startRemoteChain();
      replica = await folderReplica();
      database = await emptyDatabase(engine);
      await copyFile(deploymentFile(chain.directory, CHAIN_ID), file("old"));
      old = await deployed("old");
      fresh = await deployed("fresh");
      assert.notEqual(old.contracts.ProofAnchor, fresh.contracts.ProofAnchor);
    });
    after(async () => {
      await stopped();
      await chain.close();
      await replica.close();
      await database.remove();
    });

    // Security, administrator key: can deploy other contracts; a start with them requires an operator's confirmation
    it("stop a start that does not confirm them, and name the setting", async () => {
      const running = await start();
      first = await account(running);
      await anchored(running, "/api/v1/proof", document("before"));
      await stored(running, first, "before");
      await use("fresh");
      const message = await refusal();
      assert.match(message, /NEW_CONTRACTS=yes/);
      assert.include(message, old.contracts.SessionRegistry);
      assert.include(message, fresh.contracts.SessionRegistry);
    });

    // Security, administrator key: cannot invalidate former proofs with other contracts: each is verified in its own
    it("get new anchors and records when they are confirmed, and former proofs stay valid where they are", async () => {
      const running = await start(CONFIRMED);
      second = await account(running);
      await anchored(running, "/api/v1/proof", document("after"));
      await stored(running, second, "after");
      await assertProven(running, "before", old.contracts.ProofAnchor);
      await assertProven(running, "after", fresh.contracts.ProofAnchor);
      assert.deepEqual(await codes(running, second), ["after", "before"]);
      // The registry of the new contracts has the accounts of before once they are enrolled there.
      assert.equal((await running.call(ROUTES.auth, first)).status, 401);
      const enrol = () => runHere(accountCommand, { ...variables({}), DATA_DIR: chain.directory }, ["enroll"]);
      const enrolled = await enrol();
      assert.equal(enrolled.code, 0, enrolled.err);
      assert.include(enrolled.out, `${first.login} is enrolled\n`);
      assert.notInclude(enrolled.out, second.login);
      assert.equal((await enrol()).out, "The registry has all accounts; nothing was sent.\n");
      await stored(running, first, "after, by an account of before");
      await assertReconciled(running);
      const verified = await running.post("/api/v1/recovery/verify", {
        documents: [document("before"), document("after")],
      });
      assert.deepEqual(
        verified.body.documents.map(({ result }: { result: string }) => result),
        ["match", "match"],
      );
      const { body } = await running.get("/explorer/api/anchors");
      assert.isAtLeast(new Set(body.anchors?.map((each: ParsedJson) => each.tx_hash)).size, 2);
    });

    it("are those of the journal from then on", async () => {
      const running = await start();
      await assertProven(running, "before", old.contracts.ProofAnchor);
      await use("old");
      assert.match(await refusal(), /NEW_CONTRACTS=yes/);
      await use("fresh");
    });

    it("and the former ones are checked by journal check, and by a restore from the replica", async () => {
      const running = await start();
      await eventually(async () => assert.equal((await running.get("/api/v1/status")).body.journal.replica_lag, 0));
      await stopped();
      const on = { RPC_URL: chain.proxy.url, DATA_DIR: chain.directory };
      const checked = await runJournalScript({ ...on, DATABASE_URL: database.url }, "check");
      assert.deepEqual([checked.code, withoutProgress(checked.err)], [0, ""], checked.out);
      const restored = await emptyDatabase(engine);
      try {
        const target = ["restore", "--from", `file://${replica.path}`] as const;
        const refused = await runJournalScript({ ...on, DATABASE_URL: restored.url }, ...target);
        assert.equal(refused.code, 1);
        assert.match(refused.err, /NEW_CONTRACTS=yes/);
        const outcome = await runJournalScript({ ...on, DATABASE_URL: restored.url, ...CONFIRMED }, ...target);
        assert.equal(outcome.code, 0, outcome.err);
        await use("old");
        assert.match(await refusal({ DATABASE_URL: restored.url }), /NEW_CONTRACTS=yes/);
        await use("fresh");
        const again = await start({ DATABASE_URL: restored.url });
        await assertProven(again, "before", old.contracts.ProofAnchor);
        await assertProven(again, "after", fresh.contracts.ProofAnchor);
        await assertReconciled(again);
      } finally {
        await stopped();
        await restored.remove();
      }
    });

    // Security, administrator key: cannot make records disappear from searches with another table
    it("and another table: a start confirms it too, and no record is lost", async () => {
      const message = await refusal({ TABLE_NAME: "another" });
      assert.match(message, /table "events".*table "another".*NEW_CONTRACTS=yes/);
      const running = await start({ TABLE_NAME: "another", ...CONFIRMED });
      await stored(running, second, "in another table");
      assert.deepEqual(await codes(running, second), [
        "in another table",
        "after, by an account of before",
        "after",
        "before",
      ]);
      assert.match(await refusal(), /table "another".*table "events"/);
    });
  });
