import { assert } from "chai";
import { type Administrator, administratorOf, EVERY_ACCESS } from "../../support/administrator.ts";
import { anchored } from "../../support/anchored.ts";
import { emptyDatabase } from "../../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import { freshDocuments } from "../../support/exactly-once.ts";
import { putKey } from "../../support/journal-key.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { thrownBy } from "../../support/thrown.ts";

const PERIOD = 200;
const NEVER = 2 ** 31 - 1;
const OFTEN = {
  reconcileIntervalMilliseconds: PERIOD,
  fullReconcileIntervalMilliseconds: PERIOD,
  checkpointIntervalMilliseconds: NEVER,
};

for (const access of EVERY_ACCESS)
  describe(`facts and rows that ${access.who} changes or moves, on ${access.engine}`, function () {
    let directories: [string, string];
    let databases: [EngineDatabase, EngineDatabase];
    let administrators: [Administrator, Administrator];
    let server: TestServer;
    const [first = assert.fail(), second = assert.fail()] = freshDocuments(2);

    const start = (number: 0 | 1, variables = {}): Promise<TestServer> =>
      startServer(
        { DATABASE_URL: databases[number].url, PUBLIC_URL: "https://sealbook.example", ...variables },
        { directory: directories[number], settings: { journal: OFTEN } },
      );
    before(async () => {
      directories = [await temporaryDirectory(), await temporaryDirectory()];
      databases = [await emptyDatabase(access.engine), await emptyDatabase(access.engine)];
      for (const directory of directories) await putKey(directory);
      for (const number of [1, 0] as const) {
        server = await start(number);
        for (const document of [first, second]) await anchored(server, "/api/v1/proof", document);
        await server.stop("keep");
      }
      administrators = [await administratorOf(databases[0], access), await administratorOf(databases[1], access)];
      server = await start(0);
    });
    after(async () => {
      for (const administrator of administrators) await administrator.close();
      await server.stop("keep");
      for (const database of databases) await database.remove();
      for (const directory of directories) await removeDirectory(directory);
    });

    const run = (...statements: string[]) => administrators[0].run(...statements);
    const literal = access.engine === "sqlite" ? `x'${"aa".repeat(32)}'` : `'\\x${"aa".repeat(32)}'::bytea`;
    const causes = async (): Promise<string[]> =>
      (await server.get("/api/v1/alerts")).body.alerts
        .filter(({ alert, state }: ParsedJson) => alert === "journal_divergence" && state === "raised")
        .map(({ subject }: ParsedJson) => subject);
    const attest = () => server.post("/api/v1/recovery/attest", { document_id: first.document_id, audience: "court" });
    const id = encodeURIComponent(first.document_id);
    /** What is claimed about the first document, without what is different each time. */
    const claims = async (): Promise<Record<string, unknown>> => {
      const { body: found } = await server.get(`/api/v1/proof/${id}`);
      const { body: repeated } = await server.post("/api/v1/proof", first);
      const { body: verified } = await server.get(`/api/v1/verify?hash=${first.hash}`);
      const { body: bundle } = await server.get(`/api/v1/proof/${id}?format=bundle`);
      const { body: attested } = await attest();
      const { status, proof } = repeated;
      const signed = [bundle.anchor, bundle.block, attested.statement?.records];
      return { found: found.proof, repeated: { status, proof }, verified, signed };
    };
    const assertUnsigned = async (): Promise<void> => {
      const { status, body } = await attest();
      assert.deepEqual([status, body.type], [500, "urn:sealbook:problem:journal_damaged"]);
    };

    for (const [what, table, change, isRunning] of [
      ["block times of confirmations", "confirmations", "block_time = block_time - 86400", true],
      ["blocks of confirmations", "confirmations", "block_number = 1", true],
      ["validators of confirmations", "confirmations", "validator = 'somebody'", true],
      ["transactions of confirmations", "confirmations", `transaction_hash = ${literal}`, true],
      ["blocks and transactions", "confirmations", `block_hash = ${literal}, transaction_hash = ${literal}`, false],
      ["the key of the issuer", "issuer_keys", `public_key = ${literal}`, true],
    ] as const)
      // Security, database: cannot change when, where or by whom something was anchored, in anything that is answered
      it(`are claimed as they were when it changes ${what} (attacks 21 and 23)`, async () => {
        const expected = await claims();
        if (!isRunning) await server.stop("keep");
        await run(`create table kept as select * from ${table}`, `update ${table} set ${change}`);
        if (!isRunning) server = await start(0);
        await eventually(async () => assert.deepEqual(await causes(), ["entries"]));
        const { signed: _, ...others } = expected;
        const { signed, ...found } = await claims();
        assert.deepEqual(found, others);
        assert.deepEqual(signed, [undefined, undefined, undefined], "nothing is signed");
        await assertUnsigned();
        await run(`delete from ${table}`, `insert into ${table} select * from kept`, "drop table kept");
        await eventually(async () => assert.isEmpty(await causes()));
        assert.deepEqual(await claims(), expected);
      });

    // Security, database: cannot invent a comparison: only one that a relayer has appended is signed
    it("are no comparison under an id that no relayer gave it (attack 23)", async () => {
      const documents = [first].map(({ document_id, hash }) => ({ document_id, hash }));
      const { body } = await server.post("/api/v1/recovery/verify", { documents });
      const attestOf = (verification_id: string) =>
        server.post("/api/v1/recovery/attest", { verification_id, audience: "court" });
      const right = await attestOf(body.verification_id);
      assert.equal(right.status, 200, right.text);
      const invented = "00000000-0000-4000-8000-000000000000";
      const rename = (from: string, to: string) =>
        run(`update recovery_verifications set id = '${to}' where id = '${from}'`);
      await rename(body.verification_id, invented);
      const copied = await attestOf(invented);
      assert.notEqual(copied.status, 200, copied.text);
      await rename(invented, body.verification_id);
      await eventually(async () => assert.equal((await attest()).status, 200));
      const { verification } = (await attestOf(body.verification_id)).body.statement ?? {};
      assert.deepEqual(verification, right.body.statement.verification);
    });

    for (const [what, statement] of [
      [
        "repeats a valid row further on",
        "insert into entries (first_sequence, last_sequence, proofs, previous, digest, code, body) " +
          "select n.last + 1, n.last + 1 + e.last_sequence - e.first_sequence, n.proofs, n.digest, e.digest, e.code, " +
          "e.body from entries e, (select last_sequence as last, digest, proofs from entries " +
          "order by last_sequence desc limit 1) n where e.first_sequence = 1",
      ],
      [
        "repeats the newest row",
        "insert into entries (first_sequence, last_sequence, proofs, previous, digest, code, body) " +
          "select last_sequence + 1, last_sequence + 1, proofs, previous, digest, code, body " +
          "from entries order by last_sequence desc limit 1",
      ],
    ] as const)
      // Security, database: cannot repeat an entry, or bring one of another database, even of one with the same key
      it(`are not answered from while it ${what} (attack 26)`, async () => {
        const before = await claims();
        await run("create table kept as select * from entries", statement);
        await eventually(async () => assert.deepEqual(await causes(), ["entries"]));
        await assertUnsigned();
        await run(
          "delete from entries where first_sequence not in (select first_sequence from kept)",
          "drop table kept",
        );
        await eventually(async () => assert.isEmpty(await causes()));
        await eventually(async () => assert.deepEqual(await claims(), before));
      });

    for (const [isRunning, how] of [
      [true, "running"],
      [false, "stopped"],
    ] as const)
      it(`are not those of another database with the same key, ${how} (attack 26)`, async () => {
        const before = await claims();
        const columns = ["first_sequence", "last_sequence", "proofs", "previous", "digest", "code", "body"];
        const rows = await databases[1].query("select * from entries order by first_sequence");
        if (!isRunning) await server.stop("keep");
        await run("create table kept as select * from entries", "delete from entries");
        for (const row of rows) {
          const values = columns.map((name) => valueOf(row[name]));
          await run(`insert into entries (${columns.join(", ")}) values (${values.join(", ")})`);
        }
        if (!isRunning) server = await start(0);
        await eventually(async () => assert.isNotEmpty(await causes()));
        await assertUnsigned();
        assert.notEqual((await server.post("/api/v1/proof", freshDocuments(1)[0])).status, 201);
        await run("delete from entries", "insert into entries select * from kept", "drop table kept");
        await eventually(async () => assert.isEmpty(await causes()));
        await eventually(async () => assert.deepEqual(await claims(), before));
      });

    it("are not those of an empty database that takes the place of a used one (attack 26)", async () => {
      const empty = await emptyDatabase(access.engine);
      await server.stop("keep");
      const error = await thrownBy(start(0, { DATABASE_URL: empty.url }));
      assert.match(String(error), /journal/);
      await empty.remove();
      server = await start(0);
      await eventually(async () => assert.equal((await attest()).status, 200));
    });

    if (access.engine === "postgres")
      // Security, database: cannot have two relayers write, nor anything answered otherwise, by changing who leads
      it("stay as they are when it changes epoch and holder of the leader (attack 28)", async () => {
        const before = await claims();
        await run("delete from leader", "insert into leader (id, epoch, holder) values (1, 1000, 'nobody')");
        const [document = assert.fail()] = freshDocuments(1);
        await eventually(async () => {
          const { status, text } = await server.post("/api/v1/proof", document);
          assert.oneOf(status, [200, 201], text);
        });
        assert.deepEqual(await claims(), before);
        await run("delete from leader");
        await server.stop("keep");
        server = await start(0);
        assert.deepEqual(await claims(), before);
        await eventually(async () => assert.isEmpty(await causes()));
      });

    function valueOf(value: unknown): string {
      if (!(value instanceof Uint8Array)) return String(value);
      const digits = Buffer.from(value).toString("hex");
      return access.engine === "sqlite" ? `x'${digits}'` : `'\\x${digits}'::bytea`;
    }
  });
