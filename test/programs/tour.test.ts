import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { SEALBOOK } from "../support/sealbook.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The commands of a page that are marked to be run. */
function commandsOf(page: string): string[] {
  return [...read(page).matchAll(/<!-- tour -->\n```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
}

describe("the commands of README and tour", () => {
  let server: ChildProcess;
  let data: string;
  const environment: Record<string, string | undefined> = { ...SURROUNDINGS };

  before(async () => {
    data = mkdtempSync(join(tmpdir(), "sealbook-tour-"));
    server = spawn(process.execPath, [SEALBOOK, "start"], {
      cwd: ROOT,
      env: { ...SURROUNDINGS, DATA_DIR: data, PORT: "0", CHAIN_PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const output = await new Promise<string>((resolve, reject) => {
      let text = "";
      server.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
      server.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (text.includes("listens on")) resolve(text);
      });
    });
    const chain = /Embedded chain: ([^\s"]+)/.exec(output)?.[1];
    const url = /listens on ([^\s"]+)/.exec(output)?.[1];
    Object.assign(environment, { SEALBOOK_URL: url, CHAIN_URL: chain, DATA_DIR: data });
  });

  after(async () => {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill("SIGINT");
      await once(server, "exit");
    }
    rmSync(data, { recursive: true, force: true });
  });

  it("run as written", () => {
    expect(commandsOf("README.md")).to.have.length(3);
    const blocks = ["README.md", "docs/tour.md"].flatMap(commandsOf);
    expect(blocks.length).to.be.greaterThan(10);
    const run = spawnSync("bash", ["-e", "-u", "-o", "pipefail", "-c", blocks.join("\n")], {
      cwd: ROOT,
      env: environment,
      encoding: "utf8",
      // The maximum of a test cannot end it: it blocks this thread.
      timeout: 500_000,
    });
    expect(run.status, run.stderr + run.stdout).to.equal(0);
    expect(run.stdout).to.match(/Verified\. The document "README\.md" existed as it is now/i);
    expect(run.stdout).to.match(/token: 0x[0-9a-f]{64}\n/);
    expect(run.stdout).to.include('"result":"success"');
    expect(run.stdout).to.match(/"events":\[\["0x/);
    expect(run.stdout).to.include("sensordevice");
    expect(run.stdout).to.include("/api/admin/session/close fetch is successful");
    expect(run.stdout).to.include('"status":"confirmed"');
    expect(run.stdout).to.include('"valid":true');
    expect(run.stdout).to.include('"valid":false');
    expect(run.stdout).to.include('"status":"ok"');
  });
});
