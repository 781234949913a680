import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { terminalAnnouncer } from "../../server/composition/announcements.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { failToStart, type ServerProcess, startProcess } from "../support/process.ts";
import { NPM_ENVIRONMENT } from "../support/packages.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { ROUTES } from "../support/server.ts";
import { ROOT } from "../../server/kit/program-files.ts";

describe("the server's process", function () {
  let directory: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => removeDirectory(directory));

  const fails = async (variables: Record<string, string>, ...printed: RegExp[]): Promise<string> => {
    const { code, output } = await failToStart(directory, variables);
    assert.equal(code, 1, output);
    for (const text of printed) assert.match(output, text);
    assert.notMatch(output, /^\s+at .*\(?(file|node):/m, "no stack: it is not a fault of the program");
    return output;
  };

  it("prints the demo account at the first start, with the password on a terminal only", async () => {
    const server = await startProcess(directory);
    try {
      const file = join(directory, "demo-account.json");
      const lines = server
        .output()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.notInclude(server.output(), server.demo.password);
      const made = lines.find(({ msg }) => /^A demo account was made/.test(msg));
      assert.deepInclude(made, { login: server.demo.login, file });
      assert.equal(statSync(file).mode & 0o777, 0o600);

      const printed: string[] = [];
      terminalAnnouncer((text) => printed.push(text)).started({
        url: server.url,
        embeddedChainUrl: server.chainUrl,
        demoAccount: server.demo,
        demoAccountFile: file,
      });
      const output = printed.join("\n");
      for (const text of [file, server.demo.login, server.demo.password, server.chainUrl]) assert.include(output, text);
      const command = /-d '(.*)'$/m.exec(output)?.[1] ?? "";
      const address = /curl -s (\S+) /.exec(output)?.[1] ?? "";
      const response = await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: command,
      });
      assert.equal(response.status, 200);
      assert.equal((await server.call(ROUTES.auth, server.demo)).status, 200);
    } finally {
      // As on a terminal under npm.
      process.kill(server.pid, "SIGINT");
      assert.deepEqual(await server.end("SIGINT"), { code: 0, signal: null });
    }
    const lines = server
      .output()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).msg);
    assert.deepEqual(lines.slice(-2), ["Stopping.", "Stopped."]);
  });

  it("completes requests in flight before it stops", async () => {
    await (await startProcess(directory)).end("SIGTERM");
    const server = await startProcess(directory, { CHAIN_BLOCK_PERIOD: "60" });
    const pending = server.post("/api/v1/proof", { document_id: "sent before", hash: "5e".repeat(32) });
    await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.journal.pending, 1));
    const [response, ended] = await Promise.all([pending, server.end("SIGTERM")]);
    assert.equal(response.status, 202, response.text);
    assert.equal(response.body.status, "pending");
    assert.deepEqual(ended, { code: 0, signal: null });
  });

  /** Starts a shell's command, and waits until its server listens. */
  const startIn = async (command: string, variables: Record<string, string> = {}) => {
    const env = { ...NPM_ENVIRONMENT, DATA_DIR: directory, PORT: "0", CHAIN_PORT: "0", ...variables };
    const shell = spawn("sh", ["-c", command], { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(shell, "exit");
    const ended = once(shell.stdout, "end");
    let output = "";
    shell.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    await eventually(() => Promise.resolve(assert.match(output, /Sealbook listens on/)));
    return { shell, exited, ended, output: () => output };
  };

  it("stops when a supervisor stops npm start", async () => {
    const { shell, exited, ended, output } = await startIn("exec npm start");
    shell.kill("SIGTERM");
    assert.deepEqual(await exited, [0, null]);
    await ended;
    assert.match(output(), /Stopped\./);
  });

  it("stops when npm is gone that started it in a shell, and otherwise continues without its parent", async () => {
    // The shell does not become the server, because it has another command.
    const command = `${process.execPath} ${SEALBOOK} start`;
    const detached = await startIn(`${command} & echo "pid=$!"; wait`, { DATA_DIR: join(directory, "detached") });
    const pid = Number(/^pid=(\d+)$/m.exec(detached.output())?.[1]);
    try {
      detached.shell.kill("SIGTERM");
      await detached.exited;
      const npx = await startIn(`${command}; true`, { npm_lifecycle_event: "npx" });
      npx.shell.kill("SIGTERM");
      await npx.ended;
      assert.match(npx.output(), /Stopped\./);
      const url = /listens on ([^\s"]+)/.exec(detached.output())?.[1] ?? "";
      assert.equal((await fetch(`${url}/livez`)).status, 200);
    } finally {
      process.kill(pid, "SIGTERM");
      await detached.ended;
    }
    assert.match(detached.output(), /Stopped\./);
  });

  it("begins anew beside the old folder with --fresh", async () => {
    const folder = join(directory, "data");
    const command = `exec ${process.execPath} ${SEALBOOK} start`;
    const first = await startIn(command, { DATA_DIR: folder });
    first.shell.kill("SIGTERM");
    await first.ended;
    const fresh = await startIn(`${command} --fresh`, { DATA_DIR: folder });
    fresh.shell.kill("SIGTERM");
    await fresh.ended;
    assert.include(fresh.output(), `${folder} is a new folder; the old one is kept as ${folder}-1`);
    const [old, now] = [`${folder}-1`, folder].map((each) => readFileSync(join(each, "demo-account.json"), "utf8"));
    assert.notEqual(old, now);
  });

  it("rejects invalid variables at the start, and names all of them", async () => {
    const secret = "5e".repeat(40);
    const output = await fails(
      { RELAYER_KEY: secret, LOG_LEVEL: "loud", PROOF_WAIT: "x" },
      /RELAYER_KEY/,
      /LOG_LEVEL/,
      /PROOF_WAIT/,
    );
    assert.notInclude(output, secret);
    assert.isEmpty(readdirSync(directory), "nothing was made");
  });

  it("requires the node at the first start", () =>
    fails({ RPC_URL: "http://127.0.0.1:1", RELAYER_KEY: "5e".repeat(32) }, /RPC_URL/));

  it("rejects an address of another machine at the start", () => fails({ HOST: "192.0.2.1" }, /HOST/, /192\.0\.2\.1/));

  it("rejects an invalid folder or database at the start", async () => {
    const file = join(directory, "file");
    writeFileSync(file, "not a database, and long enough to be taken for one".repeat(100));
    await fails({ DATA_DIR: file }, /file/);
    await fails({ DATABASE_URL: `file:${file}` }, /database/i, /file/);
    const output = await fails(
      { DATABASE_URL: "postgres://user:pass-word@127.0.0.1:1/db" },
      /DATABASE_URL/,
      /ECONNREFUSED/,
    );
    assert.notInclude(output, "pass-word");
  });

  describe("beside another process", function () {
    let server: ServerProcess;
    beforeEach(async () => {
      server = await startProcess(directory);
    });
    afterEach(() => server.end("SIGTERM"));

    it("rejects a folder in use, and the other process continues", async () => {
      const output = await fails({}, /in use|another|already/i);
      assert.notInclude(output, server.demo.password);
      assert.equal((await server.call(ROUTES.auth, server.demo)).status, 200);
    });

    it("rejects a port in use", async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const port = String((other.address() as AddressInfo).port);
      const elsewhere = await temporaryDirectory();
      try {
        for (const name of ["PORT", "CHAIN_PORT"]) {
          const { code, output } = await failToStart(elsewhere, { [name]: port });
          assert.equal(code, 1, output);
          assert.include(output, port);
          assert.match(output, /in use|EADDRINUSE/i);
          assert.notMatch(output, /^\s+at .*\(?(file|node):/m);
        }
      } finally {
        other.close();
        await removeDirectory(elsewhere);
      }
    });
  });
});
