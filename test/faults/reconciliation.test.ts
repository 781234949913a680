import type { Settings } from "../support/settings.ts";
import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { Wallet } from "ethers";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import type { JournalEntry } from "../../server/journal/entries/codec.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { fullPasses } from "../support/full-passes.ts";
import { type Intruder, intruderIn } from "../support/intruder.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { type FolderReplica, folderReplica } from "../support/test-replica.ts";
import { rpcCall } from "../support/rpc.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Short: what is found by one comparison is looked at over several. */
const PERIOD = 200;
const PERIODS = {
  replicaIntervalMilliseconds: PERIOD,
  reconcileIntervalMilliseconds: PERIOD,
  fullReconcileIntervalMilliseconds: PERIOD,
  checkpointIntervalMilliseconds: PERIOD,
};

for (const engine of ENGINES)
  describe(`reconciliation of a manipulated journal, replica or chain, on ${engine}`, () => {
    let chain: RemoteChain;
    let replica: FolderReplica;
    let database: EngineDatabase;
    let server: TestServer;
    let intruder: Intruder;

    const start = (periods: Settings["journal"] = PERIODS): Promise<TestServer> =>
      startServer(
        { ...chain.variables, DATABASE_URL: database.url, REPLICA_TARGETS: `file://${replica.path}` },
        { directory: chain.directory, settings: { journal: periods } },
      );
    const prove = async (count: number): Promise<ParsedJson[]> => {
      const { status, body, text } = await server.post("/api/v1/proof/batch", { documents: freshDocuments(count) });
      assert.equal(status, 201, text);
      return body.proofs.map(({ proof }: ParsedJson) => proof);
    };
    /** Divergences that were raised and resolved, according to the log. */
    const alerts = (): ParsedJson[] =>
      server.log
        .map((line) => JSON.parse(line))
        .filter(({ divergence }) => divergence !== undefined)
        .map((line) => ({ ...line, subject: line.divergence }));
    const divergences = async (): Promise<number> => {
      const { body } = await server.get("/api/v1/status");
      // Without transactions this node makes no blocks, which is another reason to be degraded.
      if (body.journal.divergences > 0) assert.equal(body.status, "degraded");
      assert.isNumber(body.journal.last_reconciled);
      return body.journal.divergences;
    };
    const counted = async (): Promise<number> =>
      Number(/^sealbook_journal_divergences_total (\d+)/m.exec((await server.get("/metrics")).text)?.[1]);
    const atRest = (): Promise<void> =>
      eventually(async () => assert.equal(await divergences(), 0, JSON.stringify(alerts())));

    /** A finding is reported as `subject`, once for any number of passes, and resolved after it is undone. */
    const assertFound = async (
      subject: RegExp,
      message: RegExp,
      tamper: () => Promise<unknown>,
      undo: () => Promise<unknown>,
    ): Promise<void> => {
      await atRest();
      const [before, countedBefore] = [alerts().length, await counted()];
      const raised = () =>
        alerts()
          .slice(before)
          .filter((alert) => alert.state === "raised");
      await tamper();
      try {
        await eventually(async () =>
          assert.isTrue(
            raised().some((alert) => subject.test(alert.subject)),
            JSON.stringify(raised()),
          ),
        );
        assert.isAbove(await divergences(), 0);
        await fullPasses(chain.directory, 3);
      } finally {
        await undo();
      }
      const mine = raised().filter((alert) => subject.test(alert.subject));
      assert.lengthOf(mine, 1);
      assert.match(mine[0].msg, message);
      await eventually(async () => assert.equal(await counted(), countedBefore + raised().length));
      await eventually(async () => {
        const lines = await server.context.journal.serviceLog.newest("", 1_000);
        assert.isAtLeast(lines.filter((line) => line.message === mine[0].msg).length, 1);
      });
      await atRest();
      await eventually(async () => {
        const over = alerts()
          .slice(before)
          .filter((alert) => alert.state === "resolved");
        assert.includeMembers(
          over.map((alert) => alert.subject),
          raised().map((alert) => alert.subject),
        );
      });
    };
    /** Puts other values into a row, and the old ones back. */
    const assertChangeFound = (
      subject: RegExp,
      message: RegExp,
      table: string,
      column: string,
      value: string,
      where: string,
    ): Promise<void> =>
      assertFound(
        subject,
        message,
        () =>
          intruder
            .run(`create table kept as select ${column} as value from ${table} where ${where}`)
            .then(() => intruder.run(`update ${table} set ${column} = ${value} where ${where}`)),
        () =>
          intruder
            .run(`update ${table} set ${column} = (select value from kept) where ${where}`)
            .then(() => intruder.run("drop table kept")),
      );
    const oldestConfirmation = "sequence = (select min(sequence) from confirmations)";

    before(async () => {
      chain = await startRemoteChain(startRawNode);
      replica = await folderReplica();
      database = await emptyDatabase(engine);
      server = await start();
      intruder = intruderIn(database);
      const objects = async (): Promise<number> => (await replica.list()).length;
      for (let n = 0; n < 4; n += 1) {
        const before = await objects();
        await prove(3);
        await eventually(async () => assert.isAbove(await objects(), before));
      }
    });
    after(async () => {
      await server.stop("keep");
      await chain.close();
      await replica.close();
      await database.remove();
    });

    for (const [column, value] of [
      ["block_number", () => "block_number + 1"],
      ["block_time", () => "block_time - 1"],
      ["block_hash", () => database.literal(randomBytes(32))],
      ["transaction_hash", () => database.literal(randomBytes(32))],
      ["hash", () => database.literal(randomBytes(32))],
    ] as const) {
      it(`finds a confirmation with a changed ${column}`, () =>
        assertChangeFound(
          /^entries$/,
          /the tables do not have what the entry says/,
          "confirmations",
          column,
          value(),
          oldestConfirmation,
        ));
    }

    for (const [column, value] of [
      ["body", () => database.literal(randomBytes(32))],
      ["code", () => database.literal(randomBytes(32))],
      ["digest", () => database.literal(randomBytes(32))],
      ["proofs", () => "proofs + 1"],
      ["last_sequence", () => "last_sequence + 1"],
      ["first_sequence", () => "-1"],
    ] as const) {
      it(`finds a row with a changed ${column}`, async () => {
        const [row] = await database.query("select min(last_sequence) as last from entries where proofs > 0");
        const where = column === "last_sequence" ? "first_sequence = 1" : `last_sequence = ${String(row?.["last"])}`;
        await assertChangeFound(/^entries$/, /missing|changed|cut off/, "entries", column, value(), where);
      });
    }

    // Security, database: cannot change, remove or exchange a journal row: the next full comparison raises an alert
    // Security, database: cannot make a query return a proof of such a row before that: it gets an error
    it("finds a deleted row", () =>
      assertFound(
        /^entries$/,
        /missing/,
        async () => {
          await intruder.run("create table kept as select * from entries where first_sequence = 1");
          await intruder.run("delete from entries where first_sequence = 1");
        },
        () => intruder.run("insert into entries select * from kept").then(() => intruder.run("drop table kept")),
      ));

    it("records the outcome of an anchor that is confirmed on chain only", async () => {
      await atRest();
      const [proof] = await prove(2);
      await fullPasses(chain.directory, 2);
      await atRest();
      const before = alerts().length;
      const root = database.literal(Buffer.from(proof.merkle.root.slice(2), "hex"));
      await intruder.run(`update anchors set confirmation = null where hash = ${root}`);
      await eventually(async () => {
        const { body } = await server.get(`/api/v1/proof/${proof.record_hash}`);
        assert.equal(body.status, "confirmed");
        assert.deepEqual(body.proof, proof);
      });
      await eventually(async () => assert.isTrue(server.log.some((line) => line.includes("the journal had lost"))));
      assert.lengthOf(alerts(), before);
    });

    it("follows a replaced block, and stores the previous one", async () => {
      await atRest();
      const snapshot = await rpcCall(chain.url, "evm_snapshot");
      const from = chain.proxy.delivered.length;
      const [proof] = await prove(2);
      const again = chain.proxy.delivered.slice(from);
      await rpcCall(chain.url, "evm_revert", snapshot);
      await rpcCall(chain.url, "evm_increaseTime", 60);
      for (const raw of again) await rpcCall(chain.url, "eth_sendRawTransaction", raw);
      await eventually(async () => {
        const { body } = await server.get(`/api/v1/proof/${proof.record_hash}`);
        assert.notEqual(body.proof.block_hash, proof.block_hash);
        assert.equal(body.superseded[0].block_hash, proof.block_hash);
        assert.equal(body.proof.tx_hash, proof.tx_hash);
      });
      await eventually(async () => {
        assert.match((await server.get("/metrics")).text, /^sealbook_journal_corrections_total [1-9]/m);
        const lines = await server.context.journal.serviceLog.newest("", 100);
        assert.isTrue(lines.some((line) => line.message.includes(`transaction ${proof.tx_hash} is in block`)));
      });
      await atRest();
    });

    const object = async (index: number): Promise<string> =>
      (await replica.list()).at(index) ?? assert.fail("there is no such object");

    // Security, replica: cannot change an object undetected
    it("finds a changed byte of an object", async () => {
      const key = await object(1);
      const genuine = await replica.get(key);
      const forged = Buffer.from(genuine);
      forged.writeUInt8(forged.readUInt8(forged.length - 3) ^ 4, forged.length - 3);
      await assertFound(
        /^replica/,
        /^.*the entries \d+ to \d+ in .* were changed, or are another journal's/,
        () => replica.put(key, forged),
        () => replica.put(key, genuine),
      );
    });

    // Security, replica: cannot remove an object undetected
    it("finds a missing object", async () => {
      const key = await object(1);
      const genuine = await replica.get(key);
      await assertFound(
        /^replica/,
        /the entries \d+ to \d+ are missing before/,
        () => replica.remove(key),
        () => replica.put(key, genuine),
      );
    });

    it("finds an exchanged object", async () => {
      const [key, other] = [await object(1), await object(2)];
      const genuine = await replica.get(key);
      await assertFound(
        /^replica/,
        /has other entries than its name says/,
        async () => replica.put(key, await replica.get(other)),
        () => replica.put(key, genuine),
      );
    });

    // Security, database: cannot rewrite checkpointed entries, also with the journal's key: comparison raises an alert
    // Security, database: cannot hide the checkpoint too: the relayers' newest entries, replicas and anchors show it
    it("finds a journal rewritten as a whole, by its checkpoints and anchors", async () => {
      let genuine: JournalEntry | undefined;
      await server.stop("keep");
      await intruder.rewrite((entry) => {
        if (genuine !== undefined || entry.kind !== "proof") return entry;
        genuine = entry;
        return { ...entry, hash: randomBytes(32) };
      });
      // A checkpoint of a forged journal would be on the chain for ever.
      server = await start({ ...PERIODS, checkpointIntervalMilliseconds: 3_600_000 });
      await eventually(async () => {
        const raised = alerts();
        assert.isTrue(
          raised.some(
            ({ subject, msg }) =>
              subject === "entries" &&
              /the digest anchored for entry \d+ is not the one that the journal gives/.test(msg),
          ),
          JSON.stringify(raised),
        );
        assert.isTrue(raised.some(({ subject }) => /^leaves of anchor/.test(subject)));
        assert.isTrue(raised.some(({ subject }) => /^replica/.test(subject)));
        assert.isTrue(raised.some(({ subject }) => /^head of 0x/.test(subject)));
      });
      await server.stop("keep");
      await intruder.rewrite((entry) => (entry.sequence === genuine?.sequence ? genuine : entry));
      server = await start();
      await atRest();
    });

    // Security, relayer key: cannot anchor undetected: the journal lacks the hash
    it("finds a hash on the chain without a proof in the journal, and keeps the finding after a restart", async () => {
      await atRest();
      const relayer = new Wallet(chain.variables.RELAYER_KEY ?? "");
      const [{ contract }] = await prove(1);
      const hash = randomBytes(32);
      const data = INTERFACES.ProofAnchor.encodeFunctionData("anchor", [hash]);
      const chainId = Number(await rpcCall(chain.url, "eth_chainId"));
      // The server's own, such as the checkpoint that follows, may use the nonce before.
      await eventually(async () => {
        const nonce = Number(await rpcCall(chain.url, "eth_getTransactionCount", relayer.address, "latest"));
        const raw = await relayer.signTransaction({
          to: contract,
          data,
          nonce,
          chainId,
          gasLimit: 500_000,
          gasPrice: 0,
          type: 0,
        });
        await rpcCall(chain.url, "eth_sendRawTransaction", raw);
      });
      await eventually(async () =>
        assert.isTrue(alerts().some(({ subject }) => subject === `anchor ${hash.toString("hex")}`)),
      );
      await eventually(async () => assert.equal(await divergences(), 1));
      // The key's nonce is used, and requests are processed nevertheless.
      await prove(1);
      const messages = async () =>
        (await server.context.journal.serviceLog.newest("", 1_000)).filter(({ message }) =>
          message.includes("that the journal does not know"),
        ).length;
      await eventually(async () => assert.equal(await messages(), 1));
      await server.stop("keep");
      server = await start();
      assert.equal((await server.get("/api/v1/status")).body.journal.divergences, 1);
      await fullPasses(chain.directory, 2);
      assert.equal((await server.get("/api/v1/status")).body.journal.divergences, 1);
      assert.equal(await messages(), 1, "one alert for the accounts");
    });
  });
