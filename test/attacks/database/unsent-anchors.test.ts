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

const JOURNAL = { reconcileIntervalMilliseconds: 200, checkpointIntervalMilliseconds: 2 ** 31 - 1 };
const PROOFS = { anchorDeadlineMilliseconds: 1_000, proofWaitMilliseconds: 200 };

for (const access of EVERY_ACCESS)
  describe(`anchors that ${access.who} keeps from being sent, on ${access.engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let administrator: Administrator;
    let server: TestServer;
    let confirmed: HttpResponse;
    const start = async (): Promise<void> => {
      const settings = { journal: JOURNAL, proofs: PROOFS };
      server = await startServer({ DATABASE_URL: database.url }, { directory, settings });
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

    const raised = async (): Promise<string[]> => {
      const { body } = await server.get("/api/v1/alerts");
      return body.alerts
        .filter(({ state }: Record<string, string>) => state === "raised")
        .map(({ alert, subject }: Record<string, string>) => `${alert} ${subject}`);
    };

    // Security, database: cannot keep an accepted proof from the chain without an alert
    it("have alerts, whatever times the rows have, and are sent by the next start", async () => {
      const [document = assert.fail()] = freshDocuments(1);
      await administrator.changeInserted("unsigned", "transactions", "new.purpose = 'anchor'", { state: "'sent'" });
      await administrator.changeInserted("late", "anchors", "new.size >= 0", { opened_at: "9000000000000" });
      const { status, text } = await server.post("/api/v1/proof", document);
      assert.equal(status, 202, text);
      await eventually(async () => {
        const alerts = await raised();
        assert.includeMembers(alerts, ["degraded_performance anchoring", "journal_divergence leaves"]);
      });
      await administrator.dropTrigger("unsigned", "transactions");
      await administrator.dropTrigger("late", "anchors");
      await server.stop("keep");
      await start();
      await eventually(async () => {
        const { body } = await server.get(`/api/v1/proof/${encodeURIComponent(document.document_id)}`);
        assert.equal(body.status, "confirmed");
      });
      await eventually(async () => assert.isEmpty(await raised()));
    });

    // Security, database: cannot stop the sending by a changed nonce
    it("are sent by the nonces that were signed, whatever the rows have", async () => {
      await server.stop("keep");
      await administrator.run(
        "update transactions set nonce = nonce + 1000 where id = (select max(id) from transactions)",
      );
      await start();
      const [document = assert.fail()] = freshDocuments(1);
      confirmed = await anchored(server, "/api/v1/proof", document);
    });

    it("are sent with the next nonces, whatever rows are put in their way", async () => {
      const newest = "(select id from transactions where nonce is not null order by nonce desc limit 1)";
      await administrator.run(`update transactions set nonce = nonce + 1 where id = ${newest}`);
      const [refused = assert.fail(), document = assert.fail()] = freshDocuments(2);
      assert.equal((await server.post("/api/v1/proof", refused)).status, 503);
      confirmed = await anchored(server, "/api/v1/proof", document);
    });

    // Security, database: cannot hide a batch from look-ups by its transaction by deleting its anchor
    it("do not vanish from look-ups by transaction when their rows are deleted", async () => {
      const hash = confirmed.body.proof.tx_hash;
      assert.equal((await server.get(`/api/v1/proof/tx/${hash}`)).status, 200);
      await administrator.run("delete from anchors where id = (select max(id) from anchors)");
      const { status, body, text } = await server.get(`/api/v1/proof/tx/${hash}`);
      assert.equal(status, 500, text);
      assert.equal(body.type, "urn:sealbook:problem:journal_damaged");
    });
  });
