import { assert } from "chai";
import { type Administrator, administratorOf, EVERY_ACCESS } from "../../support/administrator.ts";
import { anchored } from "../../support/anchored.ts";
import { emptyDatabase } from "../../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { freshDocuments, type ProofRequest } from "../../support/exactly-once.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import { startServer, type TestServer } from "../../support/server.ts";

/** Only requests find what is changed. */
const NEVER = 2 ** 31 - 1;
const QUIET = { checkpointIntervalMilliseconds: NEVER, reconcileIntervalMilliseconds: NEVER };

/** The anchor of the newest proof. */
const NEWEST = "(select max(id) from anchors where checkpoint is null)";
const OTHER_TRANSACTION = (state: string): string =>
  `insert into transactions (purpose, to_address, state, created_at)
    select purpose, to_address, '${state}', created_at from transactions
    where id = (select transaction_id from anchors where id = ${NEWEST})`;
const IN_IT = `update anchors set confirmation = null, transaction_id = (select max(id) from transactions)
  where id = ${NEWEST}`;

/** How a confirmed record is called pending. */
const ATTACKS: readonly (readonly [number: number, how: string, ...statements: string[]])[] = [
  [1, "by a transaction that is sent", OTHER_TRANSACTION("sent"), IN_IT],
  [2, "by one that was refused", OTHER_TRANSACTION("refused"), IN_IT],
  [
    3,
    "without a transaction",
    `update anchors set hash = null, transaction_id = null, confirmation = null where id = ${NEWEST}`,
  ],
  [
    5,
    "with a time of the future, which raises no alert",
    `update anchors set confirmation = null, opened_at = 9000000000000 where id = ${NEWEST}`,
  ],
  [
    4,
    "with its confirmation deleted",
    `delete from confirmations where anchor_id = ${NEWEST}`,
    `update anchors set confirmation = null where id = ${NEWEST}`,
  ],
];

for (const access of EVERY_ACCESS)
  describe(`a newer record that ${access.who} hides, on ${access.engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let administrator: Administrator;
    let server: TestServer;
    const start = async (): Promise<void> => {
      server = await startServer({ DATABASE_URL: database.url }, { directory, settings: { journal: QUIET } });
    };

    before(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(access.engine);
      await start();
      administrator = await administratorOf(database, access);
    });
    after(async () => {
      await administrator.close();
      await server.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });

    const recordTwice = async (name: string): Promise<[older: ProofRequest, newer: ProofRequest]> => {
      const [older = assert.fail(), newer = assert.fail()] = freshDocuments(2);
      const documents = [older, newer].map((document) => ({ ...document, document_id: name }));
      for (const document of documents) await anchored(server, "/api/v1/proof", document);
      return [
        { ...older, document_id: name },
        { ...newer, document_id: name },
      ];
    };

    /** Everything that is answered or signed about the document is about the newer record. */
    const assertShown = async ([older, newer]: readonly [ProofRequest, ProofRequest]): Promise<void> => {
      const { document_id } = newer;
      const path = `/api/v1/proof/${encodeURIComponent(document_id)}`;
      const found = await server.get(path);
      assert.equal(found.body.proof?.hash, newer.hash, found.text);
      assert.equal(found.body.status, "confirmed");
      const again = await server.post("/api/v1/proof", newer);
      assert.deepEqual([again.status, again.body.status], [200, "confirmed"], again.text);
      const verified = await server.post("/api/v1/verify", { document_hash: newer.hash });
      assert.isTrue(verified.body.valid, verified.text);
      const documents = [older, newer].map(({ hash }) => ({ document_id, hash }));
      const compared = await server.post("/api/v1/recovery/verify", { documents });
      assert.deepEqual(
        compared.body.documents?.map(({ result }: ParsedJson) => result),
        ["mismatch", "match"],
        compared.text,
      );
      const inventory = await server.get("/api/v1/recovery/inventory?limit=100");
      const listed = inventory.body.documents.filter((row: ParsedJson) => row.document_id === document_id);
      assert.deepEqual(
        listed.map(({ hash }: ParsedJson) => hash),
        [newer.hash],
      );
      const attested = await server.post("/api/v1/recovery/attest", { document_id, audience: "court" });
      if (attested.status === 500) {
        // A pass or the start has found the change meanwhile: then nothing is signed.
        assert.equal(attested.body.type, "urn:sealbook:problem:journal_damaged", attested.text);
        assert.isAbove((await server.get("/api/v1/status")).body.journal.divergences, 0);
        return;
      }
      assert.equal(attested.status, 200, attested.text);
      const { record_count, pending_count, records } = attested.body.statement;
      assert.deepEqual([record_count, pending_count, records[0].hash], [2, 0, newer.hash]);
      const bundle = await server.get(`${path}?format=bundle`);
      assert.equal(bundle.body.record?.hash, newer.hash, bundle.text);
    };

    for (const [number, how, ...statements] of ATTACKS) {
      // Security, database: cannot hide a confirmed record by calling it pending: the chain is asked
      it(`is answered and signed ${how} (attack ${number})`, async () => {
        const documents = await recordTwice(`running ${number}`);
        await administrator.run(...statements);
        await assertShown(documents);
      });

      it(`is answered and signed ${how} while the server was stopped (attack ${number})`, async () => {
        const documents = await recordTwice(`stopped ${number}`);
        await server.stop("keep");
        await administrator.run(...statements);
        await start();
        await assertShown(documents);
      });
    }
  });
