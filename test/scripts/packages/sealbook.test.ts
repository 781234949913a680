import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { ProofClient, RecordClient, RecordSession } from "../../../client/index.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { installPackages, NPM_ENVIRONMENT, pack } from "../../support/packages.ts";
import { startRawAnvil } from "../../support/raw-anvil.ts";

const run = promisify(execFile);
const MEGABYTE = 1024 * 1024;
/** What builds and tests the product. */
const OF_DEVELOPMENT = [
  "hardhat",
  "solc",
  "vite",
  "rolldown",
  "typescript",
  "mocha",
  "chai",
  "eslint",
  "playwright-core",
];

/** Bytes of the files in a folder. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

describe("the package sealbook", function () {
  let project: string;
  let server: ChildProcess;
  let url = "";
  let env: NodeJS.ProcessEnv;

  /** Runs `npx sealbook`, for which npm has the packages' programs in the path. */
  const sealbook = async (...args: string[]): Promise<string> =>
    (await run("sealbook", args, { cwd: project, env })).stdout;

  before(async () => {
    project = await temporaryDirectory();
    await installPackages(project, [await pack("sealbook", project)]);
    const { PATH, HOME, TMPDIR } = NPM_ENVIRONMENT;
    env = { HOME, TMPDIR, PATH: `${join(project, "node_modules/.bin")}:${PATH ?? ""}`, PORT: "0", CHAIN_PORT: "0" };
    server = spawn("sealbook", ["start"], { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] });
    url = await new Promise((resolve, reject) => {
      let text = "";
      server.once("error", reject).once("exit", (code) => reject(new Error(`ended with ${code}: ${text}`)));
      server.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const listening = /listens on ([^\s"]+)/.exec(text)?.[1];
        if (listening !== undefined) resolve(listening);
      });
    });
    env["SEALBOOK_URL"] = url;
  });
  after(async () => {
    if (server?.exitCode === null) {
      server.kill("SIGTERM");
      const [code] = await once(server, "exit");
      assert.equal(code, 0);
    }
    await removeDirectory(project);
  });

  it("is small, and has no tools of development", () => {
    const modules = join(project, "node_modules");
    const installed = readdirSync(modules);
    assert.notIncludeMembers(installed, OF_DEVELOPMENT);
    const runtimes = ["@foundry-rs", ...installed.filter((name) => name.startsWith("node-linux-"))];
    const besides = bytesIn(modules) - runtimes.reduce((sum, name) => sum + bytesIn(join(modules, name)), 0);
    assert.isBelow(besides, 100 * MEGABYTE);
  });

  it("proves and verifies a file", async () => {
    await writeFile(join(project, "report.txt"), "A report.\n");
    assert.match(await sealbook("prove", "report.txt"), /^1 of 1 files have proofs/);
    const [key = ""] = (await sealbook("issuer", "list")).split(" ");
    assert.match(
      await sealbook("verify", "report.txt", "--trust-key", key),
      /^verified: report\.txt: existed at [^]*^1 of 1 files verified/m,
    );
    await writeFile(join(project, "report.txt"), "Another report.\n");
    await run("sealbook", ["verify", "report.txt", "--trust-key", key], { cwd: project, env }).then(
      () => assert.fail("verified"),
      ({ code, stdout, stderr }) => assert.deepEqual([code, /report\.txt/.test(`${stdout}${stderr}`)], [1, true]),
    );
  });

  it("stores, finds and decodes a record", async () => {
    const demo = JSON.parse(await readFile(join(project, "data/demo-account.json"), "utf8"));
    await using session = await RecordSession.open(new RecordClient(url), demo);
    const record = { code: "sensor 1", topic: "PM2.5", payload: { sensorvalue: 12.5 } };
    await session.store(record);
    const search = { field: "code", value: "sensor*", locations: true } as const;
    const found = await Array.fromAsync(session.search(search));
    assert.deepEqual(
      found.map(({ payload }) => payload),
      [record.payload],
    );
    assert.match(await sealbook("decode", "--tx", found[0]?.location?.transactionHash ?? ""), /sensorvalue/);
  });

  it("prints a statement, and serves the panel and the description of the APIs", async () => {
    const pdf = await new ProofClient(url).attestPdf({ document_id: "report.txt", audience: "court" });
    assert.equal(Buffer.from(pdf).toString("latin1", 0, 5), "%PDF-");
    for (const path of ["/", "/explorer", "/docs", "/openapi.json"]) {
      const response = await fetch(url + path);
      assert.equal(response.status, 200, path);
      const [asset] = /(?<=src=")\/assets\/[^"]+/.exec(await response.text()) ?? [];
      if (asset !== undefined) assert.equal((await fetch(url + asset)).status, 200, asset);
    }
  });

  it("draws maps", async () => {
    const program = `
      const worker = await import("./node_modules/sealbook/air-quality/pictures/picture-worker.js");
      const place = { title: "Roof", position: { lng: 30, lat: 60 } };
      const reading = { sender: "0xa", device: "1", ...place, value: 12, time: 0, code: "c" };
      const job = { readings: [reading], options: { language: "en", time: 0 } };
      console.log(Buffer.from((await worker.drawMap({ job, data: {} })).result).toString("latin1", 1, 4));`;
    const { stdout } = await run("node", ["--input-type=module", "-e", program], { cwd: project, env });
    assert.equal(stdout, "PNG\n");
  });

  it("deploys the contracts to another chain, without a compiler", async () => {
    const node = await startRawAnvil();
    try {
      const key = (digit: string): string => `0x${digit.repeat(64)}`;
      const keys = { ADMIN_KEY: key("1"), RELAYER_KEY: key("2") };
      const variables = { ...env, ...keys, RPC_URL: node.http, DATA_DIR: "other", CHAIN_PORT: undefined };
      const { stdout } = await run("sealbook", ["deploy"], { cwd: project, env: variables });
      assert.match(stdout, /Contracts deployed: 3\./);
      const check = await run("sealbook", ["deploy", "check"], { cwd: project, env: variables });
      assert.match(check.stdout, /^ok .*ProofAnchor/m);
    } finally {
      await node.stop();
    }
  });

  it("exports the verifier with its declarations", async () => {
    const { exports } = JSON.parse(await readFile(join(project, "node_modules/sealbook/package.json"), "utf8"));
    const declared = await readFile(join(project, "node_modules/sealbook", exports["./verifier"].types), "utf8");
    const names = [...declared.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name]) => name);
    assert.isNotEmpty(names);
    const program = 'console.log(Object.keys(await import("sealbook/verifier")).join())';
    const { stdout } = await run("node", ["--input-type=module", "-e", program], { cwd: project, env });
    assert.includeMembers(stdout.trim().split(","), names);
  });
});
