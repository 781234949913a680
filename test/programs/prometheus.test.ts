import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { makeNetwork } from "../network/made-network.ts";
import { debianProgram } from "../support/debian-program.ts";
import { DASHBOARD, queriesOf, RULES, RULE_TESTS } from "../support/deployed-files.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { startServer } from "../support/server.ts";

const run = promisify(execFile);

/** Runs promtool, which is to find nothing wrong. */
async function promtool(args: readonly string[], input = ""): Promise<string> {
  const running = run(debianProgram("promtool", "prometheus"), args);
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running.catch((error: { stdout: string; stderr: string }) =>
    assert.fail(`${error.stdout}${error.stderr}`),
  );
  return stdout + stderr;
}

describe("promtool", () => {
  let directory: string;
  before(async () => void (directory = await temporaryDirectory()));
  after(() => removeDirectory(directory));

  it("finds nothing wrong with the metrics", async () => {
    const server = await startServer();
    try {
      assert.equal(await promtool(["check", "metrics"], (await server.get("/metrics")).text), "");
    } finally {
      await server.stop();
    }
  });

  it("passes the tests of the alert rules", async () => {
    assert.match(await promtool(["check", "rules", RULES]), /SUCCESS/);
    assert.match(await promtool(["test", "rules", RULE_TESTS]), /SUCCESS/);
  });

  it("accepts the queries of the dashboard", async () => {
    const panels = queriesOf(JSON.parse(await readFile(DASHBOARD, "utf8")));
    const rules = panels.map((query, index) => ({
      record: `query:${index}`,
      expr: query.replaceAll("$__rate_interval", "5m"),
    }));
    const file = join(directory, "queries.yml");
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    assert.match(await promtool(["check", "rules", file]), new RegExp(`${panels.length} rules found`));
  });

  it("accepts the configuration for a network of Besu", async () => {
    await makeNetwork(directory);
    const file = join(directory, "network/monitoring/prometheus.yml");
    assert.include(await promtool(["check", "config", file]), "SUCCESS");
  });
});
