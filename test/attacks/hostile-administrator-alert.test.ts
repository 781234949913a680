import { createHash, randomUUID } from "node:crypto";
import { assert } from "chai";
import { getBytes } from "ethers";
import { signedText } from "../../server/issuer/jws.ts";
import { signingKey } from "../../server/issuer/signing-key.ts";
import { RESULT_TYPE } from "../../server/recovery/verification.ts";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { type Database, openDatabase } from "../../server/journal/engine/database.ts";
import { appendEntry, inTransaction } from "../../server/journal/entries/entry-log.ts";
import { anchored } from "../support/anchored.ts";
import { type Attacker, attackerOf, type Row } from "../support/attacker.ts";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { eventually } from "../support/eventually.ts";
import { FindingsFile } from "../../server/journal/findings/findings-file.ts";
import { fullPasses } from "../support/full-passes.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import type { HttpResponse } from "../support/http.ts";
import { KEY } from "../support/journal-key.ts";
import { changedBody } from "../support/journal-rows.ts";
import { runJournalScript } from "../support/journal-script.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";

const NEVER = 2 ** 31 - 1;
const QUIET = { reconcileIntervalMilliseconds: NEVER };
const BUSY = { reconcileIntervalMilliseconds: 200, fullReconcileIntervalMilliseconds: 200 };

/** Gives the proof "damaged" other metadata; returns `undefined` for rows without it. */
function forged(row: Row): Row | undefined {
  const { body } = row;
  if (!(body instanceof Uint8Array)) return undefined;
  const after = changedBody(body, (entry) =>
    entry.kind === "proof" && entry.document_id === "damaged" ? { ...entry, metadata: { note: "forged" } } : entry,
  );
  return after && { ...row, body: after };
}

function isForgeable(row: Row): boolean {
  return forged(row) !== undefined;
}

for (const engine of ENGINES)
  describe(`damage that is found before something is signed, on ${engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let attacker: Attacker;
    let server: TestServer;
    const hash = createHash("sha256").update("content").digest();

    const start = (periods: typeof QUIET): Promise<TestServer> =>
      startServer({ DATABASE_URL: database.url }, { directory, settings: { journal: periods } });
    const attest = () => server.post("/api/v1/recovery/attest", { document_id: "damaged", audience: "court" });
    const alerts = async (): Promise<ParsedJson[]> =>
      (await server.get("/api/v1/alerts")).body.alerts.filter(({ state }: ParsedJson) => state === "raised");
    const listed = async (): Promise<string> =>
      (await runJournalScript({ DATABASE_URL: database.url, DATA_DIR: directory }, "resolve")).out;

    beforeEach(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(engine);
      server = await start(QUIET);
      const document = { document_id: "damaged", hash: hash.toString("hex"), metadata: { type: "log", timestamp: 1 } };
      await anchored(server, "/api/v1/proof", document);
      // The comparison at the start has passed.
      await fullPasses(directory, 1);
      attacker = await attackerOf(database, engine);
    });
    afterEach(async () => {
      await attacker.close();
      await server.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });

    // Security, database: cannot hide damage found before a signature: it is an open divergence with an alert
    it("is an open divergence with an alert, until it is undone", async () => {
      assert.equal((await attest()).status, 200);
      const before = (await attacker.rowsOf("entries")).find(isForgeable) ?? assert.fail();
      const tampered = { table: "entries", before, after: forged(before) };
      assert.isTrue(await attacker.apply(tampered));
      const response = await attest();
      assert.equal(response.body.type, "urn:sealbook:problem:journal_damaged", response.text);
      await eventually(async () => assert.match(await listed(), /^entries: /));
      await eventually(async () =>
        assert.deepEqual(
          (await alerts()).map((each) => [each.alert, each.subject]),
          [["journal_divergence", "entries"]],
        ),
      );
      assert.equal((await server.get("/api/v1/status")).body.journal.divergences, 1);

      await server.stop("keep");
      await attacker.undo(tampered);
      server = await start(QUIET);
      assert.equal((await server.get("/api/v1/status")).body.journal.divergences, 1, "it is on disk");
      await server.stop("keep");
      server = await start(BUSY);
      await eventually(async () => assert.isEmpty(await alerts()));
      await eventually(async () => assert.equal(await listed(), ""));
      assert.equal((await attest()).status, 200);
    });

    // Security, database: cannot have anything signed while a divergence of the journal's history is known
    // Security, database: cannot end a divergence by deleting its row: a full comparison or `journal resolve` does
    it("of an entry stops every signature, whatever is signed, until it is undone and compared again", async () => {
      // The damage is in another row.
      for (let batch = 0; batch < 2; batch += 1)
        await anchored(server, "/api/v1/proof/batch", { documents: freshDocuments(128) });
      const documents = freshDocuments(1);
      await anchored(server, "/api/v1/proof/batch", { documents });
      const [{ document_id } = assert.fail()] = documents;
      const { proof } = (await server.get(`/api/v1/proof/${document_id}`)).body;
      const signatures = (): Promise<HttpResponse[]> =>
        Promise.all([
          server.post("/api/v1/recovery/attest", { document_id, audience: "court" }),
          server.get(`/api/v1/proof/${document_id}?format=bundle`),
        ]);
      assert.isNotNull(proof);
      const before = (await attacker.rowsOf("entries")).find(isForgeable) ?? assert.fail();
      const tampered = { table: "entries", before, after: forged(before) };
      assert.isTrue(await attacker.apply(tampered));
      for (const { status } of await signatures()) assert.equal(status, 200, "the damage is not known yet");
      await server.stop("keep");
      server = await start(BUSY);
      const refused = async (): Promise<void> => {
        for (const { status, body } of await signatures()) {
          assert.equal(status, 500, JSON.stringify(body));
          assert.equal(body.type, "urn:sealbook:problem:journal_damaged");
          assert.match(body.detail, /entries \d+ to \d+\b.*Nothing is signed while this divergence is open/);
        }
      };
      await eventually(refused);
      // It is known after a restart, before anything is compared.
      await server.stop("keep");
      server = await start(QUIET);
      await refused();
      await server.stop("keep");
      server = await start(BUSY);
      await attacker.undo(tampered);
      await eventually(async () => {
        for (const { status } of await signatures()) assert.equal(status, 200);
      });
      assert.isEmpty((await new FindingsFile(directory).read()).divergences);
    });

    it("of a confirmed anchor's transaction is no reason for another one, also after a restart", async () => {
      const proof = async (): Promise<ParsedJson> => (await server.get("/api/v1/proof/damaged")).body.proof;
      const right = await proof();
      const sent = (await attacker.rowsOf("transactions")).length;
      const before = (await attacker.rowsOf("anchors")).find((row) => row["confirmation"] !== null) ?? assert.fail();
      const tampered = { table: "anchors", before, after: { ...before, transaction_id: null } };
      assert.isTrue(await attacker.apply(tampered));
      await server.stop("keep");
      server = await start(QUIET);
      // Its transaction comes after any other one of the start.
      await anchored(server, "/api/v1/proof", {
        document_id: "next",
        hash: "ab".repeat(32),
        metadata: { type: "log" },
      });
      assert.lengthOf(await attacker.rowsOf("transactions"), sent + 1);
      await attacker.undo(tampered);
      assert.deepEqual(await proof(), right);
    });

    for (const [name, changes] of [
      ["that is emptied", { anchors: { hash: null, transaction_id: null, confirmation: null } }],
      [
        "that is emptied and loses its transaction",
        { anchors: { hash: null, transaction_id: null, confirmation: null }, transactions: undefined },
      ],
      ["whose transaction waits again", { transactions: { state: "queued", nonce: null, raw: null, hash: null } }],
    ] as const)
      // Security, database: cannot have a record anchored differently by emptying its anchor: a repeat confirms it
      it(`of an anchor ${name} ends with the record confirmed by the anchor that the chain has`, async () => {
        const read = async (path = ""): Promise<ParsedJson> => (await server.get(`/api/v1/proof/damaged${path}`)).body;
        const { proof: right } = await read();
        const { anchor } = await read("?format=bundle");
        assert.isObject(anchor);
        await server.stop("keep");
        for (const [table, change] of Object.entries(changes)) {
          const isOfProof = (row: Row): boolean => row["purpose"] === "anchor" || Boolean(row["confirmation"]);
          const row = (await attacker.rowsOf(table)).find(isOfProof) ?? assert.fail();
          const data = getBytes(INTERFACES.ProofAnchor.encodeFunctionData("anchor", [`0x${right.record_hash}`]));
          const after = change && { ...row, ...change, ...(table === "transactions" ? { data } : {}) };
          assert.isTrue(await attacker.apply({ table, before: row, after }));
        }
        server = await start(BUSY);
        const repeated = "select 1 from transactions where purpose = 'anchor' and state = 'confirmed' and nonce > 0";
        const statuses = new Set<string>();
        await eventually(async () => {
          statuses.add((await read()).status);
          assert.isNotEmpty(await database.query(repeated));
        });
        const { status, proof } = await read();
        assert.equal(status, "confirmed");
        for (const each of statuses) assert.oneOf(each, ["pending", "confirmed"]);
        assert.equal(proof.record_hash, right.record_hash);
        assert.deepEqual(proof.merkle, right.merkle);
        assert.isAtLeast(proof.block_number, right.block_number);
        assert.isTrue((await server.get(`/api/v1/verify?hash=${hash.toString("hex")}`)).body.valid);
        // What was found meanwhile ends with the next complete check.
        await eventually(async () => assert.equal((await attest()).status, 200));
        assert.deepEqual((await read("?format=bundle")).anchor, anchor, "the first anchor");
      });

    // Security, database: cannot get a signature for an invented comparison: a result is signed once, at its end
    it("of an invented comparison gets no signature, also with the journal's key and a copied signature", async () => {
      const documents = [{ document_id: "damaged", hash: hash.toString("hex") }];
      const { verification_id } = (await server.post("/api/v1/recovery/verify", { documents })).body;
      const attestOf = (id: string) =>
        server.post("/api/v1/recovery/attest", { verification_id: id, audience: "court" });
      const { signed_result } = (await attestOf(verification_id)).body.statement.verification;
      await server.stop("keep");
      const totals = { match: 1_000_000, mismatch: 0, unrecorded: 0, pending: 0 };
      const forge =
        (signed: string | null) =>
        async (transaction: Database): Promise<string> => {
          const id = randomUUID();
          await appendEntry(transaction, KEY, (sequence) => ({
            kind: "verification" as const,
            sequence,
            id,
            as_of: null,
            newest_entry: 1,
            finished_at: 1,
            ...totals,
            rows_root: hash,
            documents: hash,
            signed,
          }));
          return id;
        };
      const text = JSON.stringify({ totals });
      const foreign = signedText(text, signingKey(Buffer.alloc(32, 1)), RESULT_TYPE);
      const opened = await openDatabase(database.connect());
      const forged: string[] = [];
      for (const signed of [null, signed_result, foreign]) forged.push(await inTransaction(opened, forge(signed)));
      await opened.destroy();
      server = await start(QUIET);
      for (const [index, id] of forged.entries()) {
        const { status, text: response } = await attestOf(id);
        assert.equal(status, index === 0 ? 409 : 500, response);
        assert.match(response, /was not signed when it ended|is not one that this server signed/);
      }
      const { status, body } = await attestOf(verification_id);
      assert.equal(status, 200);
      assert.equal(body.statement.verification.signed_result, signed_result, "the text that was signed when it ended");
    });
  });
