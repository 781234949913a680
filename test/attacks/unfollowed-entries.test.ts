import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { attackerOf } from "../support/attacker.ts";
import { emptyDatabase, ENGINES } from "../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { fullPasses } from "../support/full-passes.ts";
import { startServer, type TestServer } from "../support/server.ts";

for (const engine of ENGINES)
  describe(`entries that are changed while no relayer follows them, on ${engine}`, () => {
    let directory: string;
    let database: EngineDatabase;
    let server: TestServer;
    const [signed = assert.fail(), changed = assert.fail()] = freshDocuments(2);
    const start = () => startServer({ DATABASE_URL: database.url }, { directory });
    const attest = () => server.post("/api/v1/recovery/attest", { document_id: signed.document_id, audience: "court" });

    before(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(engine);
      server = await start();
      await anchored(server, "/api/v1/proof", signed);
      // The next one is due in a day.
      await fullPasses(directory, 1);
      await server.stop("keep");
      await cp(join(directory, "journal.head"), join(directory, "journal.head.before"));
      server = await start();
      await anchored(server, "/api/v1/proof", changed);
      await server.stop("keep");
      const attacker = await attackerOf(database, engine);
      const newest = (await attacker.rowsOf("entries")).at(-1) ?? assert.fail();
      assert.isTrue(
        await attacker.apply({ table: "entries", before: newest, after: { ...newest, code: Buffer.alloc(32) } }),
      );
      await attacker.close();
    });
    after(async () => {
      await removeDirectory(directory);
      await database.remove();
    });
    afterEach(() => server.stop("keep"));

    const refused = async (): Promise<void> => {
      const { status, body } = await attest();
      assert.equal(status, 500, String(body.detail));
      assert.equal(body.type, "urn:sealbook:problem:journal_damaged");
      assert.match(body.detail, /entr/);
    };

    it("are found by a relayer that has seen less of the journal, before it signs anything", async () => {
      await cp(join(directory, "journal.head.before"), join(directory, "journal.head"));
      server = await start();
      await refused();
    });

    it("are found by one that has seen nothing of it", async () => {
      await rm(join(directory, "journal.head"));
      await rm(join(directory, "journal.findings"), { force: true });
      server = await start();
      await refused();
    });
  });
