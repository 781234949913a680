import { assert } from "chai";
import { type Administrator, administratorOf, EVERY_ACCESS } from "../../support/administrator.ts";
import { anchored } from "../../support/anchored.ts";
import { emptyDatabase } from "../../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { eventually } from "../../support/eventually.ts";
import { freshDocuments } from "../../support/exactly-once.ts";
import type { HttpResponse } from "../../support/http.ts";
import { startServer, type TestServer } from "../../support/server.ts";

/** Only requests find what is put in place of the journal. */
const NEVER = 2 ** 31 - 1;
const QUIET = { checkpointIntervalMilliseconds: NEVER, reconcileIntervalMilliseconds: NEVER };
/** Between two comparisons of the journal with what was seen. */
const SHORT = { ...QUIET, reconcileIntervalMilliseconds: 200 };

for (const access of EVERY_ACCESS)
  describe(`an older journal that ${access.who} puts in place for a moment, on ${access.engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let administrator: Administrator;
    let server: TestServer;
    let newest: HttpResponse;
    const [first = assert.fail(), second = assert.fail()] = freshDocuments(2);
    const older = { ...first, document_id: "contract 1" };
    const newer = { ...second, document_id: "contract 1", metadata: { ...second.metadata, timestamp: 2 } };
    const start = async (journal = QUIET): Promise<void> => {
      server = await startServer({ DATABASE_URL: database.url }, { directory, settings: { journal } });
    };
    const attest = (): Promise<HttpResponse> =>
      server.post("/api/v1/recovery/attest", { document_id: "contract 1", audience: "court" });

    before(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(access.engine);
      await start();
      await anchored(server, "/api/v1/proof", older);
      administrator = await administratorOf(database, access);
      await administrator.copy("before");
      newest = await anchored(server, "/api/v1/proof", newer);
      assert.equal((await attest()).status, 200, "the issuer's key is in the journal");
      await administrator.copy("right");
    });
    after(async () => {
      await administrator.close();
      await server.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });

    const assertRefused = (name: string, { status, body, text }: HttpResponse): void => {
      assert.equal(status, 500, `${name}: ${text}`);
      assert.equal(body.type, "urn:sealbook:problem:journal_damaged", name);
      assert.match(body.detail, /does not continue entry \d+, which .* has seen/, name);
    };
    const assertNothing = async (): Promise<void> => {
      const [unknown = assert.fail()] = freshDocuments(1);
      assertRefused("GET", await server.get("/api/v1/proof/contract%201"));
      assertRefused("bundle", await server.get("/api/v1/proof/contract%201?format=bundle"));
      assertRefused("verify", await server.post("/api/v1/verify", { document_hash: newer.hash }));
      const { tx_hash } = newest.body.proof;
      assertRefused("transaction", await server.get(`/api/v1/proof/tx/${tx_hash}`));
      assertRefused("batch", await server.get(`/api/v1/proof/batch/${unknown.hash}`));
      assertRefused("nothing", await server.post("/api/v1/verify", { document_hash: unknown.hash }));
      const documents = [{ document_id: "contract 1", hash: older.hash }];
      assertRefused("comparison", await server.post("/api/v1/recovery/verify", { documents }));
      assertRefused("inventory", await server.get("/api/v1/recovery/inventory"));
      assertRefused("statement", await attest());
      assertRefused("POST", await server.post("/api/v1/proof", unknown));
    };
    const assertRight = async (): Promise<void> => {
      const found = await server.get("/api/v1/proof/contract%201");
      assert.equal(found.body.proof?.hash, newer.hash, found.text);
      assert.equal((await server.post("/api/v1/verify", { document_hash: newer.hash })).body.valid, true);
    };

    // Security, database: cannot have anything answered or appended from an older copy, also for a moment
    it("is answered from and signed for by nothing (attack 6)", async () => {
      await administrator.putBack("before");
      await assertNothing();
      await administrator.putBack("right");
      await assertRight();
    });

    it("is known after a restart, though the file was written before what it lacks", async () => {
      await administrator.putBack("before");
      assertRefused("statement", await attest());
      await server.stop("keep");
      await start();
      await assertNothing();
      await server.stop("keep");
      await administrator.putBack("right");
      await start();
      await assertRight();
    });

    it("has an alert, which ends when the truth is back, and nothing is signed before", async () => {
      await server.stop("keep");
      await start(SHORT);
      await administrator.putBack("before");
      const alerts = async (): Promise<unknown[]> => {
        const { body } = await server.get("/api/v1/alerts");
        return body.alerts.filter(
          ({ alert, state, subject }: Record<string, string>) =>
            alert === "journal_divergence" && state === "raised" && subject === "head",
        );
      };
      await eventually(async () => assert.lengthOf(await alerts(), 1));
      assert.equal((await attest()).status, 500);
      await administrator.putBack("right");
      await eventually(async () => assert.isEmpty(await alerts()));
      await eventually(async () => assert.equal((await attest()).status, 200));
      await server.stop("keep");
      await start();
    });

    it("is nothing else when the newest rows are removed (attack 7)", async () => {
      await administrator.run("delete from entries where first_sequence = (select max(first_sequence) from entries)");
      await assertNothing();
      await administrator.putBack("right");
      await assertRight();
    });

    it("is not appended to while its newest row has another digest (attack 8)", async () => {
      const other =
        access.engine === "sqlite" ? "randomblob(32)" : "sha256(convert_to(clock_timestamp()::text, 'UTF8'))";
      const newest = "first_sequence = (select max(first_sequence) from entries)";
      await administrator.run(`update entries set digest = ${other} where ${newest}`);
      await assertNothing();
      await administrator.putBack("right");
      const [next = assert.fail()] = freshDocuments(1);
      await anchored(server, "/api/v1/proof", next);
      await server.stop("keep");
      await start();
      assert.equal((await attest()).status, 200);
    });
  });
