import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments } from "../support/exactly-once.ts";
import { onScene } from "../support/faults.ts";
import { hang, only, SEND } from "../support/faulty-proxy.ts";
import { startLoad } from "../support/load.ts";
import { inParallel } from "../support/parallel.ts";

/** Lets no file of a process grow past a size, as a full disk does not; the kernel refuses each write that would. */
function limitFiles(pid: number, bytes: number | "unlimited"): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
}

// Only Linux has a way to limit a process that runs.
if (process.platform === "linux")
  describe("a disk that is full", function () {
    inParallel({
      "causes responses 503 without an end of the process, and is written again when there is space": () =>
        onScene(async ({ chain, server }) => {
          const load = startLoad(server, [201, 202, 503]);
          await load.confirms(10);
          // What is signed when the disk is full is mined, and cannot be journalled.
          limitFiles(server.pid, statSync(join(chain.directory, "sealbook.sqlite-wal")).size);
          await eventually(async () => assert.isAbove(load.refused, 20));
          const [document] = freshDocuments(1);
          const refused = await server.post("/api/v1/proof", document);
          assert.equal(refused.status, 503, refused.text);
          assert.equal(refused.body.type, "urn:sealbook:problem:journal_unavailable");
          assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
          assert.match(refused.headers.get("content-type") ?? "", /problem\+json/);
          const { body } = await server.get("/api/v1/status");
          assert.deepEqual([body.status, body.journal.writable], ["degraded", false]);
          const known = load.accepted[0] ?? assert.fail();
          assert.equal(
            (await server.get(`/api/v1/proof/${encodeURIComponent(known.document_id)}`)).status,
            200,
            "reading goes on",
          );

          await eventually(async () => assert.match(server.output(), /the journal cannot be written/));
          await eventually(async () => assert.match(server.output(), /disk I\/O error/, "it says why"));
          assert.notMatch(server.output(), /rollback|savepoint/);

          const alerts = async (): Promise<string[]> =>
            (await server.get("/api/v1/alerts")).body.alerts
              .filter(({ alert }: { alert: string }) => alert === "storage_failure")
              .map(({ state }: { state: string }) => state);
          await eventually(async () => assert.deepEqual(await alerts(), ["raised"], "though it cannot be stored"));
          assert.equal((await server.get("/readyz")).status, 503);

          limitFiles(server.pid, "unlimited");
          await load.confirms(10);
          await eventually(async () => assert.deepEqual(await alerts(), ["resolved"]));
          assert.isTrue((await server.get("/api/v1/status")).body.journal.writable);
          await load.end();
          await assertExactlyOnce(server, chain.url, {
            accepted: load.accepted,
            unacknowledged: document === undefined ? [] : [document],
          });
        }),

      "keeps an open batch and signed transactions": () =>
        onScene(
          async ({ chain, server }) => {
            chain.proxy.intercept = only([SEND], hang);
            const accepted = freshDocuments(4);
            for (const document of accepted) assert.equal((await server.post("/api/v1/proof", document)).status, 202);
            limitFiles(server.pid, statSync(join(chain.directory, "sealbook.sqlite-wal")).size);
            const [refused] = freshDocuments(1);
            assert.equal((await server.post("/api/v1/proof", refused)).status, 503);
            chain.proxy.mode = "pass";
            await eventually(async () => assert.isNotEmpty(chain.proxy.delivered));
            assert.equal(
              (await server.get("/api/v1/status")).body.journal.pending,
              4,
              "what is mined cannot be journalled",
            );
            limitFiles(server.pid, "unlimited");
            await assertExactlyOnce(server, chain.url, { accepted });
          },
          { variables: { BATCH_MAX_AGE: "2" } },
        ),
    });
  });
