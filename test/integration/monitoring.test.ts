import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { DASHBOARD, queriesOf, RULES, RULE_TESTS } from "../support/deployed-files.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

/** There with TLS only, with a network of validators, or with several nodes, whose tests look at them. */
const ELSEWHERE = /^sealbook_(tls|validator|rpc)_/;

/** The metrics that a query is about: Sealbook's own, and those of the process. */
function metricsIn(query: string): string[] {
  return query.replaceAll(/"[^"]*"/g, "").match(/\b(?:sealbook|process|nodejs)_\w+/g) ?? [];
}

describe("monitoring", function () {
  let directory: string;
  let server: TestServer;
  before(async () => {
    directory = await temporaryDirectory();
    await mkdir(join(directory, "replica"));
    server = await startServer(
      { REPLICA_TARGETS: `file://${directory}/replica` },
      { settings: { journal: { reconcileIntervalMilliseconds: 1_000 } } },
    );
    await server.login();
    await server.call(ROUTES.auth, { ...server.demo, password: "wrong" });
    assert.equal((await server.post("/api/v1/proof/batch", { documents: freshDocuments(3) })).status, 201);
  });
  after(async () => {
    await server.stop();
    await removeDirectory(directory);
  });

  const queries = async (): Promise<string[]> => {
    const rules = [...(await readFile(RULES, "utf8")).matchAll(/expr: (?:>-\n)?((?:.*\n)(?: {10}.*\n)*)/g)].map(
      ([, query = ""]) => query,
    );
    const panels = queriesOf(JSON.parse(await readFile(DASHBOARD, "utf8")));
    assert.isAbove(rules.length, 10);
    assert.isAbove(panels.length, 40);
    return [...rules, ...panels];
  };

  it("has all metrics that rules and dashboard use", async () => {
    const queried = new Set((await queries()).flatMap(metricsIn).filter((name) => !ELSEWHERE.test(name)));
    await eventually(async () => {
      const lines = (await server.get("/metrics")).text.split("\n").filter((line) => !line.startsWith("#"));
      const there = new Set(lines.map((line) => line.split(/[{ ]/)[0]));
      assert.deepEqual(
        [...queried].filter((name) => !there.has(name)),
        [],
      );
    });
  });

  it("shows every metric of Sealbook on the dashboard", async () => {
    const shown = new Set(
      queriesOf(JSON.parse(await readFile(DASHBOARD, "utf8")))
        .flatMap(metricsIn)
        .map((name) => name.replace(/_(bucket|count|sum)$/, "")),
    );
    const types = [...(await server.get("/metrics")).text.matchAll(/^# TYPE (sealbook_\w+)/gm)].map(
      ([, name = ""]) => name,
    );
    assert.deepEqual(
      types.filter((name) => !shown.has(name)),
      [],
    );
  });

  it("has tests of each rule: one that fires it, and one that does not", async () => {
    const tests = await readFile(RULE_TESTS, "utf8");
    for (const [, alert] of (await readFile(RULES, "utf8")).matchAll(/- alert: (\w+)/g)) {
      assert.include(tests, `- alertname: ${alert}\n`, "it is fired");
      assert.include(tests, `- { alertname: ${alert}, eval_time: 3h, exp_alerts: [] }\n`, "it is quiet");
    }
  });
});
