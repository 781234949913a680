import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { COMMANDS } from "../../scripts/commands/table.ts";
import { isTooOld, OLDEST_NODE } from "../../scripts/node-version.ts";
import { ROOT } from "../../server/kit/program-files.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

function sealbook(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [SEALBOOK, ...args], { env: SURROUNDINGS, encoding: "utf8" });
}

describe("sealbook", () => {
  it("lists its commands", () => {
    const { status, stdout } = sealbook("--help");
    assert.equal(status, 0);
    for (const { name } of COMMANDS) assert.match(stdout, new RegExp(`^  ${name} `, "m"));
  });

  it("prints its version", () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    assert.deepInclude(sealbook("--version"), { status: 0, stdout: `${version}\n` });
  });

  it("is what the scripts of package.json run", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    for (const { name } of COMMANDS)
      assert.match(scripts[name], new RegExp(`^(?:exec )?node .*scripts/sealbook.ts ${name}$`));
  });

  it("runs with the flags of npm start, also as a program of its own", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const [first = ""] = readFileSync(SEALBOOK, "utf8").split("\n");
    assert.equal(
      `${first.replace("#!/usr/bin/env -S ", "")} scripts/sealbook.ts start`,
      scripts.start.replace("exec ", ""),
    );
  });

  it("needs the Node that engines names", () => {
    const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    assert.equal(engines.node, `>=${OLDEST_NODE}`);
    for (const version of ["v20.20.2", "v22.17.9", "v18.0.0"]) assert.isTrue(isTooOld(version), version);
    for (const version of ["v22.18.0", "v24.0.0", "v100.1.0"]) assert.isFalse(isTooOld(version), version);
  });

  it("shows a command's own help", () => {
    const { status, stdout } = sealbook("help", "prove");
    assert.equal(status, 0);
    for (const text of ["Usage: prove", "Anchors the SHA-256", "--id-prefix"]) assert.include(stdout, text);
    assert.equal(sealbook("prove", "--help").stdout, stdout);
  });

  for (const [args, reason] of [
    [["nothing"], /unknown command 'nothing'/],
    [["help", "nothing"], /unknown command 'nothing'/],
    [[], /^Usage: sealbook/],
    [["account", "nothing"], /unknown command 'nothing'/],
    [["decode"], /give one of call data, --tx, --blocks and --file/],
  ] as const) {
    it(`rejects ${JSON.stringify(args)} with the reason and exit code 2`, () => {
      const { status, stderr } = sealbook(...args);
      assert.equal(status, 2);
      assert.match(stderr, reason);
    });
  }
});
