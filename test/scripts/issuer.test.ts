import { SEALBOOK } from "../support/sealbook.ts";
import { assert } from "chai";
import { spawn } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { IssuerKeys, issuerKeysFile } from "../../server/issuer/issuer-keys.ts";
import { keyIdOf } from "../../server/issuer/signing-key.ts";
import { issuerCommand } from "../../scripts/commands/issuer.ts";
import { runHere } from "../support/command.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import type { Outcome } from "./proofs-support.ts";

const issuer = (directory: string, ...args: string[]): Promise<Outcome> =>
  runHere(issuerCommand, { DATA_DIR: directory }, args);

/** Runs the script as a process. Nothing of this process's environment configures it. */
async function issuerProcess(directory: string, ...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [SEALBOOK, "issuer", ...args], {
    env: { ...SURROUNDINGS, DATA_DIR: directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, err };
}

describe("issuer script", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(() => removeDirectory(directory));

  it("lists the keys and creates new ones", async () => {
    const keys = await IssuerKeys.open(issuerKeysFile(directory));
    const id = keyIdOf((await keys.signingKey()).publicKey);
    const listed = await issuerProcess(directory, "list");
    assert.equal(listed.code, 0, listed.err);
    assert.match(listed.out, new RegExp(`^${id}  [\\w+/]{122}==  \\S+Z  signs\n$`));
    const rotated = await issuer(directory, "rotate");
    assert.equal(rotated.code, 0, rotated.err);
    assert.match(
      rotated.out,
      new RegExp(`^[\\w-]{43}  [\\w+/]{122}==  \\S+Z  signs\n` + `${id}  [\\w+/]{122}==  \\S+Z  retired \\S+Z\n$`),
    );
    const rows = JSON.parse((await issuer(directory, "list", "--json")).out);
    assert.lengthOf(rows, 2);
    assert.hasAllKeys(rows[0], ["key_id", "public_key", "created_at", "retired_at"]);
    assert.deepEqual([rows[0].retired_at, rows[1].key_id], [null, id]);
    assert.equal(rows[0].key_id, keyIdOf((await keys.signingKey()).publicKey));
    assert.lengthOf(JSON.parse((await issuer(directory, "rotate", "--json")).out), 3);
  });

  it("loses no key in two simultaneous runs", async () => {
    await IssuerKeys.open(issuerKeysFile(directory));
    const outcomes = await Promise.all([1, 2, 3].map(() => issuerProcess(directory, "rotate")));
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      [0, 0, 0],
      outcomes.map(({ err }) => err).join(),
    );
    assert.lengthOf(JSON.parse((await issuer(directory, "list", "--json")).out), 4);
  });

  it("creates nothing without existing keys, and reports an invalid file", async () => {
    for (const command of ["list", "rotate"]) {
      const { code, out, err } = await issuer(directory, command);
      assert.deepEqual([code, out], [1, ""]);
      assert.match(err, /^issuer: there are no keys in .*; start the server once to create them\n$/);
    }
    assert.isEmpty(await readdir(directory));
    await writeFile(issuerKeysFile(directory), "{}");
    for (const command of ["list", "rotate"]) {
      const { code, err } = await issuer(directory, command);
      assert.equal(code, 1);
      assert.match(err, /^issuer: issuer-keys\.json in DATA_DIR does not contain the issuer's keys\n$/);
    }
    assert.equal((await issuer(directory, "rotate", "--fast")).code, 2);
  });
});
