import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { KnownSecrets } from "../support/secrets/known-secrets.ts";

const ROOT = join(import.meta.dirname, "../..");
const CASE = "test/support/secrets/cases/leaky.ts";
const run = promisify(execFile);

describe("the check for leaked secrets", () => {
  const key = randomBytes(32);
  const password = 'K%2~ \u00e9"w\\=long enough';

  it("finds a secret in every encoding", () => {
    const known = new KnownSecrets();
    known.add("a key", `0x${key.toString("hex")}`);
    known.add("a password", password);
    const hex = key.toString("hex");
    for (const text of [
      hex,
      hex.toUpperCase(),
      `0x${hex}`,
      `ab${hex}cd`,
      key.toString("base64"),
      key.toString("base64url"),
      `x.${key.toString("base64")}.y`,
      JSON.stringify(key),
      JSON.stringify(new Uint8Array(key)),
      `[${[1, ...key, 2].join(", ")}]`,
    ]) {
      assert.deepEqual([...known.in(`{"level":30,"msg":"${text}"}\n`)], ["a key"], text);
    }
    const bytes = Buffer.from(password);
    for (const text of [
      password,
      password.toUpperCase(),
      JSON.stringify({ password }),
      `/?p=${encodeURIComponent(password)}`,
      bytes.toString("hex"),
      bytes.toString("base64"),
      JSON.stringify(bytes),
    ]) {
      assert.deepEqual([...known.in(text)], ["a password"], text);
    }
    assert.deepEqual([...known.in(`${hex} ${password}`)].toSorted(), ["a key", "a password"]);
  });

  it("has no false positives", () => {
    const known = new KnownSecrets();
    known.add("a key", key.toString("hex"));
    known.add("a password", password);
    known.add("too short to tell from a word", "wrong");
    const other = Buffer.from(key);
    other[31] = (other[31] ?? 0) ^ 1;
    const text = [
      other.toString("hex"),
      other.toString("base64"),
      JSON.stringify(other),
      key.subarray(1).toString("hex"),
      "login or password is wrong",
      password.slice(1),
    ].join("\n");
    assert.isEmpty(known.in(text));
    assert.equal(known.size, 2);
  });

  const runCase = async (leak: string, ...more: string[]): Promise<{ code: number; output: string }> => {
    const args = [
      join(ROOT, "node_modules/mocha/bin/mocha.js"),
      "--no-config",
      "--exit",
      "--timeout",
      "60000",
      "--require",
      "./test/support/secrets/root-hooks.ts",
      ...more,
      CASE,
    ];
    const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], LEAK: leak };
    const ran: { stdout: string; stderr: string; code?: number } = await run(process.execPath, args, {
      cwd: ROOT,
      env,
    }).catch((error: unknown) => error as never);
    return { code: ran.code ?? 0, output: ran.stdout + ran.stderr };
  };

  // Security, log: finds no secret in the output of any server of the whole test suite
  it("fails a run whose server logged a secret, with the file and the kind but not the secret", async () => {
    const [token, pass, clean] = await Promise.all([
      runCase("token", "--parallel", "--jobs", "2"),
      runCase("password"),
      runCase("nothing"),
    ]);
    for (const [{ code, output }, kind] of [
      [token, "token of a session"],
      [pass, "a secret of demo-account.json"],
    ] as const) {
      assert.equal(code, 1, output);
      assert.include(output, `${CASE}: ${kind} is in the log`);
      assert.include(output, "1 passing", "each test of it passes");
      assert.notMatch(output, /(\d+,){31}|login refused: /);
    }
    assert.equal(clean.code, 0, clean.output);
  });
});
