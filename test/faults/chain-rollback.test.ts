import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, type ProofRequest } from "../support/exactly-once.ts";
import { journalLines } from "../support/journal-lines.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { allTransactions, rpcCall } from "../support/rpc.ts";
import { FAST_RECHECK, type Login, ROUTES, startServer, type TestServer } from "../support/server.ts";

/** Nodes of these chains never lag. */
const OVERRIDES = { ...FAST_RECHECK, chainLagMilliseconds: 1_000 };
const PERIODS = { reconcileIntervalMilliseconds: 200 };

for (const engine of ENGINES)
  describe(`a chain rollback behind the journal, on ${engine}`, () => {
    let chain: RemoteChain;
    let database: EngineDatabase;
    let server: TestServer;
    let account: Login;
    const accepted: ProofRequest[] = [];
    let notifications = 0;

    const start = (journal: object = PERIODS): Promise<TestServer> =>
      startServer(
        {
          ...chain.variables,
          DATABASE_URL: database.url,
          CHECKPOINT_INTERVAL: "3600",
          PROOF_WAIT: "2",
        },
        {
          directory: chain.directory,
          overrides: OVERRIDES,
          // The clock of the chain is put forward.
          settings: { journal, chain: { clockLimitMilliseconds: 1e8 } },
        },
      );
    const prove = async (): Promise<void> => {
      const [one, ...others] = freshDocuments(4);
      await anchored(server, "/api/v1/proof", one ?? assert.fail());
      await anchored(server, "/api/v1/proof/batch", { documents: others });
      accepted.push(...(one === undefined ? [] : [one]), ...others);
    };
    const record = async (code: string): Promise<void> => {
      const token = await server.login(account);
      content(await server.call(ROUTES.store, { token }, { code, topic: "t", payload: {} }), ROUTES.store);
      content(await server.call(ROUTES.close, { token }), ROUTES.close);
    };
    const records = async (): Promise<unknown[]> => {
      const token = await server.login(account);
      return content(
        await server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } }),
        ROUTES.search,
      ).tparams.events as unknown[];
    };
    const proofsNow = async (): Promise<ParsedJson[]> => {
      const responses = await Promise.all(
        accepted.map(({ document_id }) => server.get(`/api/v1/proof/${encodeURIComponent(document_id)}`)),
      );
      return responses.map(({ body }) => body);
    };
    const alerts = (): ParsedJson[] =>
      server.log.map((line) => JSON.parse(line)).filter(({ alert }) => alert !== undefined);
    const relayed = async (): Promise<string[]> =>
      (await allTransactions(chain.url))
        .filter(({ from }) => from.toLowerCase() === chain.relayer.toLowerCase())
        .map(({ hash }) => hash);
    /** Everything is on the chain again, once, under the same hashes. */
    const assertWhole = async (
      lost: readonly string[],
      earlier: readonly ParsedJson[],
      found: readonly unknown[],
    ): Promise<void> => {
      await eventually(async () => assert.includeMembers(await relayed(), [...lost]));
      await eventually(async () => {
        const { body } = await server.get("/api/v1/status");
        assert.deepEqual(
          [body.status, body.journal.divergences, body.journal.pending, body.relayer.in_flight],
          ["ok", 0, 0, 0],
          JSON.stringify(alerts()),
        );
      });
      await assertExactlyOnce(server, chain.url, { accepted });
      const now = await proofsNow();
      for (const [index, { proof }] of earlier.entries()) assert.equal(now[index].proof.tx_hash, proof.tx_hash);
      const after = await eventually(async () => {
        const again = await records();
        assert.lengthOf(again, found.length);
        return again;
      });
      assert.sameDeepMembers(after, [...found]);
      notifications += 1;
      await eventually(async () => {
        const about = alerts().filter(({ subject }) => subject === "chain");
        assert.deepEqual(
          about.map(({ state }) => state),
          ["raised", "resolved"],
        );
        const lines = await server.context.journal.serviceLog.newest(account.login, 1_000);
        assert.lengthOf(
          lines.filter(({ message }) => message.includes("the chain is older than the journal")),
          notifications,
        );
      });
      await journalLines(database);
    };

    before(async () => {
      chain = await startRemoteChain(startRawNode);
      database = await emptyDatabase(engine);
      server = await start();
      account = (await server.context.accounts?.create("full")) ?? assert.fail("no administrator");
      await eventually(() => server.login(account));
      await prove();
      await record("before");
    });
    after(async () => {
      await server.stop("keep");
      await chain.close();
      await database.remove();
    });

    // Security, node: the node cannot roll the chain back undetected
    it("is repaired with the lost transactions, while the server runs", async () => {
      const snapshot = await rpcCall(chain.url, "evm_snapshot");
      const kept = await relayed();
      for (let n = 0; n < 3; n += 1) await prove();
      for (const code of ["a", "b"]) await record(code);
      const found = await records();
      const earlier = await proofsNow();
      const lost = (await relayed()).slice(kept.length);
      // Time that goes by: the same transactions do not make the same blocks.
      await rpcCall(chain.url, "evm_revert", snapshot);
      await rpcCall(chain.url, "evm_increaseTime", 100);
      await assertWhole(lost, earlier, found);

      const now = await proofsNow();
      const before = earlier.slice(0, 4);
      assert.deepEqual(now.slice(0, 4), before, "what was not lost is as it was");
      for (const [index, { proof }] of earlier.entries()) {
        if (index < 4) continue;
        const { tx_hash, block_number, block_hash, timestamp, validator } = proof;
        assert.notEqual(now[index].proof.block_hash, block_hash);
        assert.deepEqual(now[index].superseded, [{ tx_hash, block_number, block_hash, timestamp, validator }]);
      }
      assert.isUndefined(now[0].superseded);
      await prove();
      await record("after");
      assert.include(JSON.stringify(await records()), '"after"');
    });

    it("leaves no divergence open that was found meanwhile, long before the next complete check", async () => {
      const snapshot = await rpcCall(chain.url, "evm_snapshot");
      const kept = await relayed();
      await prove();
      const found = await records();
      const earlier = await proofsNow();
      const lost = (await relayed()).slice(kept.length);
      await server.stop("keep");
      await rpcCall(chain.url, "evm_revert", snapshot);
      await rpcCall(chain.url, "evm_increaseTime", 100);
      server = await start({ reconcileIntervalMilliseconds: 3_600_000, fullReconcileIntervalMilliseconds: 3_600_000 });
      const last = accepted.at(-1) ?? assert.fail();
      await server.get(`/api/v1/verify?hash=${last.hash}`);
      assert.include(
        alerts().map(({ subject }) => subject),
        "root",
      );
      await eventually(async () => {
        const { body } = await server.get("/api/v1/status");
        assert.deepInclude(body.problems, {
          part: "journal.divergences",
          reason: `${body.journal.divergences} are open; the alerts have them`,
        });
      });
      await assertWhole(lost, earlier, found);
      await server.stop("keep");
      server = await start();
    });

    it("is repaired with the lost transactions, after a restart from old copies of chain and server", async () => {
      const state = await rpcCall(chain.url, "anvil_dumpState", true);
      const kept = await relayed();
      await prove();
      await record("c");
      const found = await records();
      const earlier = await proofsNow();
      const lost = (await relayed()).slice(kept.length);
      await server.stop("keep");
      const old = await startRawNode();
      await rpcCall(old.url, "anvil_loadState", state);
      chain.proxy.target = old.url;
      server = await start();
      try {
        await assertWhole(lost, earlier, found);
        await prove();
        await record("d");
      } finally {
        await server.stop("keep");
        await old.stop();
      }
    });
  });
