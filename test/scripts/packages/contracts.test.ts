import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { ZeroAddress } from "ethers";
import { ROOT } from "../../../server/kit/program-files.ts";
import { ProofAnchor__factory } from "../../../typechain-types/factories/ProofAnchor__factory.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { installPackages, NPM_ENVIRONMENT, pack } from "../../support/packages.ts";

const run = promisify(execFile);
const README = join(ROOT, "scripts/packages/contracts/README.md");

describe("the package of the contracts", () => {
  let folder: string;
  let project: string;
  const env = NPM_ENVIRONMENT;

  /** The example of a language in the package's page. */
  async function example(language: string): Promise<string> {
    const page = await readFile(README, "utf8");
    return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? assert.fail();
  }

  before(async () => {
    folder = await temporaryDirectory();
    project = join(folder, "project");
    const addresses = { SessionRegistry: ZeroAddress, EventTable: ZeroAddress, ProofAnchor: ZeroAddress };
    await mkdir(join(folder, "data/deployments"), { recursive: true });
    for (const chainId of [31337, 5])
      await writeFile(
        join(folder, `data/deployments/${chainId}.json`),
        JSON.stringify({ chainId, firstBlock: 7, contracts: addresses }),
      );
    const archive = await pack("contracts", folder, { DATA_DIR: join(folder, "data") });
    const { devDependencies, dependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    const others = {
      hardhat: devDependencies.hardhat,
      ethers: dependencies.ethers,
      typescript: devDependencies.typescript,
    };
    await installPackages(project, [archive, ...Object.entries(others).map(([name, version]) => `${name}@${version}`)]);
    await mkdir(join(project, "contracts"));
  });
  after(() => removeDirectory(folder));

  const installed = (path: string): Promise<string> =>
    readFile(join(project, "node_modules/@sealbook/contracts", path), "utf8");

  it("compiles in an empty Hardhat project, with a contract that imports an interface", async () => {
    const contract = `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.28;\n\n${await example("solidity")}`;
    await writeFile(join(project, "contracts/Registered.sol"), contract);
    const compiler = { version: "0.8.37", path: join(ROOT, "node_modules/solc/soljson.js") };
    const config = `export default ${JSON.stringify({ solidity: compiler })};\n`;
    await writeFile(join(project, "hardhat.config.ts"), config);
    await run("npx", ["hardhat", "build"], { cwd: project, env });
    const artifact = JSON.parse(
      await readFile(join(project, "artifacts/contracts/Registered.sol/Registered.json"), "utf8"),
    ) as { readonly bytecode: string };
    assert.isAbove(artifact.bytecode.length, 100);
  });

  it("has types and factories that TypeScript checks and Node runs", async () => {
    const program = (await example("ts")).replace("console.log", 'const root = "0x00";\nconsole.log');
    await writeFile(join(project, "program.ts"), program);
    const check = ["tsc", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"];
    await run("npx", [...check, "program.ts"], { cwd: project, env });
    const { stdout } = await run(
      process.execPath,
      ["--input-type=module", "-e", "console.log((await import('@sealbook/contracts')).ProofAnchor__factory.bytecode)"],
      { cwd: project, env },
    );
    assert.equal(stdout.trim(), ProofAnchor__factory.bytecode);
  });

  it("has the ABIs, and the addresses on public chains", async () => {
    assert.deepEqual(JSON.parse(await installed("abi/ProofAnchor.json")), ProofAnchor__factory.abi);
    const addresses = JSON.parse(await installed("addresses.json"));
    assert.deepEqual(Object.keys(addresses), ["5"]);
    assert.equal(addresses["5"].contracts.ProofAnchor, ZeroAddress);
    assert.equal(addresses["5"].firstBlock, 7);
  });
});
