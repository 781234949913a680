import { SEALBOOK } from "../support/sealbook.ts";
import { assert } from "chai";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { accountCommand } from "../../scripts/commands/account.ts";
import { runHere } from "../support/command.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { content, refused } from "../support/envelope.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { type Login, ROUTES } from "../support/server.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const UNKNOWN = "0x00000000000000000000000000000000DeaDBeef";

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Row {
  readonly login: string;
  readonly scope: string;
  readonly state: string;
  readonly created: string;
  readonly revoked: string | null;
}

function variablesOf(directory: string, variables: EnvironmentVariables): EnvironmentVariables {
  return { DATA_DIR: directory, ...(variables.RPC_URL === undefined ? { CHAIN_PORT: "0" } : {}), ...variables };
}

/** Runs the command on a data folder. */
function account(
  directory: string,
  args: readonly string[],
  variables: EnvironmentVariables = {},
  input = "",
): Promise<Outcome> {
  return runHere(accountCommand, variablesOf(directory, variables), args, input);
}

/** Runs the script as a process. Nothing of this process's environment configures it. */
async function accountProcess(directory: string, args: readonly string[], input = ""): Promise<Outcome> {
  const child = spawn(process.execPath, [SEALBOOK, "account", ...args], {
    env: { ...SURROUNDINGS, ...variablesOf(directory, {}) },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(input);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

/** Its output on success. */
async function succeed(directory: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await account(directory, args);
  assert.deepEqual({ code, err }, { code: 0, err: "" });
  return out;
}

/** What it says when it fails, without its own name before it. */
async function fail(directory: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await account(directory, args);
  assert.deepEqual({ code, out }, { code: 1, out: "" }, err);
  const message = /^account: ([^\n]+)\n$/.exec(err)?.[1];
  return message ?? assert.fail(`not one sentence: ${err}`);
}

async function create(directory: string, ...args: string[]): Promise<Login & { readonly scope: string }> {
  return JSON.parse(await succeed(directory, "create", "--json", ...args)) as Login & { scope: string };
}

async function list(directory: string): Promise<Row[]> {
  return JSON.parse(await succeed(directory, "list", "--json")) as Row[];
}

/**
 * The files under the folder that have the text in them. Another process looks: a server of this one would lose its
 * locks on files that are opened and closed here.
 */
async function filesWith(needle: string, directory: string): Promise<string[]> {
  const child = spawn("grep", ["-rlaF", "-e", needle, directory], { stdio: ["ignore", "pipe", "inherit"] });
  return (await text(child.stdout)).split("\n").filter((line) => line !== "");
}

async function assertPasswordNowhere({ login, password }: Login, directory: string): Promise<void> {
  assert.isNotEmpty(await filesWith(login, directory), "the login is found, so the search works");
  assert.isEmpty(await filesWith(password, directory));
}

describe("account script", () => {
  let directory: string;

  describe("without a server", () => {
    let full: Login;
    let reading: Login & { readonly scope: string };
    let printed: string;

    before(async () => {
      directory = await temporaryDirectory();
      const first = await accountProcess(directory, ["create"]);
      assert.deepEqual({ code: first.code, err: first.err }, { code: 0, err: "" });
      printed = first.out;
      full = {
        login: /^login +(\S+)$/m.exec(printed)?.[1] ?? assert.fail(printed),
        password: /^password +(\S+)$/m.exec(printed)?.[1] ?? assert.fail(printed),
      };
      reading = await create(directory, "--scope", "read");
    });
    after(() => removeDirectory(directory));

    it("prints a new account's login and password, once", () => {
      assert.match(printed, /^login +0x[0-9a-fA-F]{40}\npassword +\S{12,}\nscope +full\n$/);
      assert.lengthOf(printed.split(full.password), 2);
    });

    it("prints the same as JSON", () => {
      assert.hasAllKeys(reading, ["login", "password", "scope"]);
      assert.match(reading.login, /^0x[0-9a-fA-F]{40}$/);
      assert.match(reading.password, /^\S{12,}$/);
      assert.equal(reading.scope, "read");
      assert.notEqual(reading.login, full.login);
      assert.notEqual(reading.password, full.password);
    });

    it("stores no password", async () => {
      await assertPasswordNowhere(full, directory);
      await assertPasswordNowhere(reading, directory);
    });

    it("lists the accounts, oldest first, without secrets", async () => {
      const rows = await list(directory);
      assert.deepEqual(
        rows.map(({ created: _, ...row }) => row),
        [
          { login: full.login, scope: "full", state: "enrolled", revoked: null },
          { login: reading.login, scope: "read", state: "enrolled", revoked: null },
        ],
      );
      for (const { created } of rows) assert.equal(new Date(created).toISOString(), created);
      const listed = await accountProcess(directory, ["list"]);
      assert.deepEqual({ code: listed.code, err: listed.err }, { code: 0, err: "" });
      const lines = listed.out.split("\n");
      assert.lengthOf(lines, 3);
      assert.equal(lines[2], "");
      for (const [index, { login, scope, state, created }] of rows.entries()) {
        assert.deepEqual(lines[index]?.split(/ +/), [login, scope, state, created]);
      }
    });

    it("lists without a chain", async () => {
      const nowhere = { RPC_URL: "http://127.0.0.1:1", RELAYER_KEY: `0x${"11".repeat(32)}` };
      const { code, out, err } = await account(directory, ["list", "--json"], nowhere);
      assert.deepEqual({ code, err }, { code: 0, err: "" });
      assert.lengthOf(JSON.parse(out), 2);
    });

    it("revokes an account once, and no other", async () => {
      const out = await succeed(directory, "revoke", reading.login.toLowerCase(), "--yes", "--json");
      assert.deepEqual(JSON.parse(out), { login: reading.login, state: "revoked" });
      assert.include(await fail(directory, "revoke", reading.login, "--yes"), reading.login);
      assert.include(await fail(directory, "revoke", UNKNOWN, "--yes"), UNKNOWN);
      const rows = await list(directory);
      assert.deepEqual(
        rows.map(({ login, state }) => [login, state]),
        [
          [full.login, "enrolled"],
          [reading.login, "revoked"],
        ],
      );
      const { revoked } = rows[1] ?? assert.fail("not listed");
      assert.equal(new Date(revoked ?? "").toISOString(), revoked);
    });

    it("rejects an invalid login to revoke", async () => {
      const malformed = ["alice", `${full.login}00`];
      const messages = await Promise.all(malformed.map((login) => fail(directory, "revoke", login)));
      for (const [index, login] of malformed.entries()) {
        assert.include(messages[index], `"${login}" is not a blockchain address`);
      }
    });

    it("reports configuration errors", async () => {
      const key = `0x${"11".repeat(32)}`;
      const { code, out, err } = await account(directory, ["create"], { CHAIN_PORT: "many" });
      assert.deepEqual({ code, out }, { code: 1, out: "" });
      assert.match(err, /^account: CHAIN_PORT [^\n]+\n$/);
      const unreachable = await account(directory, ["create"], { RPC_URL: "http://127.0.0.1:1", RELAYER_KEY: key });
      assert.deepEqual({ code: unreachable.code, out: unreachable.out }, { code: 1, out: "" });
      assert.match(unreachable.err, /^account: [^\n]+\n$/);
      assert.notInclude(unreachable.err, key);
    });
  });

  describe("on an empty folder", () => {
    beforeEach(async () => {
      directory = await temporaryDirectory();
    });
    afterEach(() => removeDirectory(directory));

    it("lists nothing, and leaves it empty", async () => {
      assert.equal(await succeed(directory, "list", "--json"), "[]\n");
      assert.isEmpty(await readdir(directory));
      const missing = join(directory, "missing");
      assert.equal(await succeed(missing, "list", "--json"), "[]\n");
      assert.isFalse(existsSync(missing));
    });

    const helpful: string[][] = [["--help"], ["create", "--help"]];
    it("prints its help without side effects", async () => {
      for (const { code, out, err } of await Promise.all(helpful.map((args) => accountProcess(directory, args)))) {
        assert.deepEqual({ code, err }, { code: 0, err: "" });
        assert.match(out, /^Usage: account /);
      }
      assert.isEmpty(await readdir(directory));
    });

    const bad: [what: string, args: string[], message: RegExp][] = [
      ["no subcommand", [], /Usage: account /],
      ["an unknown subcommand", ["delete"], /unknown command 'delete'/],
      ["an unknown option", ["create", "--password", "x"], /unknown option '--password'/],
      ["an unknown scope", ["create", "--scope", "write"], /Allowed choices are full, read/],
      ["no login", ["revoke"], /missing required argument 'login'/],
    ];
    it("rejects wrong usage without side effects", async () => {
      await Promise.all(
        bad.map(async ([what, args, message]) => {
          const { code, out, err } = await account(directory, args);
          assert.deepEqual({ code, out }, { code: 2, out: "" }, `${what}: ${err}`);
          assert.match(err, message, what);
        }),
      );
      assert.isEmpty(await readdir(directory));
    });
  });

  describe("on a network's chain", () => {
    let chain: RemoteChain;

    before(async () => {
      chain = await startRemoteChain();
    });
    after(() => chain.close());

    it("creates, lists and revokes accounts with the administrator's key, without a relayer's", async () => {
      const { RELAYER_KEY: _, ...variables } = chain.variables;
      const run = async (...args: string[]): Promise<string> => {
        const { code, out, err } = await account(chain.directory, [...args, "--json"], variables);
        assert.deepEqual({ code, err }, { code: 0, err: "" });
        return out;
      };
      const { login } = JSON.parse(await run("create")) as Login;
      await run("revoke", login, "--yes");
      const rows = JSON.parse(await run("list")) as Row[];
      assert.deepEqual(
        rows.map((row) => [row.login, row.state]),
        [[login, "revoked"]],
      );
      const { ADMIN_KEY: __, ...others } = variables;
      const { code, err } = await account(chain.directory, ["create"], others);
      assert.deepEqual([code, err.includes("ADMIN_KEY")], [1, true], err);
    });

    it("creates none in the journal of other contracts", async () => {
      const other = await temporaryDirectory();
      const server = await startProcess(other);
      await server.end("SIGTERM");
      await cp(join(chain.directory, "deployments"), join(other, "deployments"), { recursive: true });
      const before = await list(other);
      const { code, err } = await account(other, ["create"], chain.variables);
      assert.equal(code, 1);
      assert.match(err, /the journal belongs to SessionRegistry at 0x/);
      assert.deepEqual(await list(other), before);
      await removeDirectory(other);
    });
  });

  describe("beside a running server", () => {
    let server: ServerProcess;

    before(async () => {
      directory = await temporaryDirectory();
      server = await startProcess(directory);
    });
    after(async () => {
      await server.end("SIGTERM");
      await removeDirectory(directory);
    });

    it("creates an account that works immediately and whose password is not stored", async () => {
      const made = await create(directory);
      const token = await server.login(made);
      content(await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: { a: 1 } }), ROUTES.store);
      await assertPasswordNowhere(made, directory);
    });

    it("creates a read-only account", async () => {
      const token = await server.login(await create(directory, "--scope", "read"));
      content(await server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } }), ROUTES.search);
      const response = await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: {} });
      refused(response, ROUTES.store, 403, "scope_refused");
    });

    // Security, network: cannot use a password, or a session opened with it, after it was changed
    it("changes a password: the old one and open sessions end, and the new one works", async () => {
      const made = await create(directory);
      const token = await server.login(made);
      const change = (password: string) => account(directory, ["password", made.login, "--json"], {}, `${password}\n`);
      const wrong = await change("wrong");
      assert.deepEqual(wrong, { code: 1, out: "", err: "account: login or password is wrong\n" });
      const { code, out, err } = await change(made.password);
      assert.deepEqual({ code, err }, { code: 0, err: "" });
      const changed = JSON.parse(out) as Login;
      assert.equal(changed.login, made.login);
      assert.notEqual(changed.password, made.password);
      refused(await server.call(ROUTES.auth, made), ROUTES.auth, 401, "login_refused");
      const search = { search: { target: "1", value: "*" } };
      refused(await server.call(ROUTES.search, { token }, search), ROUTES.search, 401, "token_invalid");
      const next = await server.login(changed);
      content(
        await server.call(ROUTES.store, { token: next }, { code: "c", topic: "t", payload: { a: 1 } }),
        ROUTES.store,
      );
      await assertPasswordNowhere(changed, directory);
    });

    it("changes the demo account's password, also in its file", async () => {
      const before = server.demo;
      const { code, err } = await accountProcess(directory, ["password", before.login], `${before.password}\n`);
      assert.deepEqual({ code, err }, { code: 0, err: "" });
      assert.notEqual(server.demo.password, before.password);
      await server.login();
    });

    it("revokes an account: its logins fail and its sessions end", async () => {
      const made = await create(directory);
      const [token, other] = [await server.login(made), await server.login(made)];
      const untouched = await server.login();
      // It asks, and reads the answer from the standard input.
      const no = await accountProcess(directory, ["revoke", made.login], "no\n");
      const said = `account: ${made.login} was not revoked: answer yes, or use --yes\n`;
      assert.deepEqual(
        [no, await accountProcess(directory, ["revoke", made.login])],
        [
          { code: 1, out: "", err: said },
          { code: 1, out: "", err: said },
        ],
      );
      content(await server.call(ROUTES.auth, made), ROUTES.auth);
      const revoked = await accountProcess(directory, ["revoke", made.login], "yes\n");
      assert.deepEqual(revoked, { code: 0, out: `${made.login} is revoked\n`, err: "" });
      const search = { search: { target: "1", value: "*" } };
      refused(await server.call(ROUTES.auth, made), ROUTES.auth, 401, "login_refused");
      refused(await server.call(ROUTES.search, { token }, search), ROUTES.search, 401, "token_invalid");
      refused(
        await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: {} }),
        ROUTES.store,
        401,
        "token_invalid",
      );
      refused(await server.call(ROUTES.validate, { token: other }), ROUTES.validate, 401, "token_invalid");
      content(await server.call(ROUTES.search, { token: untouched }, search), ROUTES.search);
    });
  });
});
