import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { ZeroAddress } from "ethers";
import { ROOT } from "../../../server/kit/program-files.ts";
import { ProofAnchor__factory } from "../../../typechain-types/factories/ProofAnchor__factory.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { callDataVectors } from "../../vectors/calldata/vectors.ts";
import { installPackages, NPM_ENVIRONMENT, pack } from "../../support/packages.ts";

const run = promisify(execFile);
const COMPILER = { version: "0.8.37", path: join(ROOT, "node_modules/solc/soljson.js") };
const README = join(ROOT, "scripts/packages/contracts/README.md");

describe("the package of the contracts", () => {
  let folder: string;
  let project: string;
  const env = NPM_ENVIRONMENT;

  /** An example of a language in the package's page. */
  async function example(language: string, index = 0): Promise<string> {
    const page = await readFile(README, "utf8");
    return [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))][index]?.[1] ?? assert.fail();
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
    const config = `export default ${JSON.stringify({ solidity: COMPILER })};\n`;
    await writeFile(join(project, "hardhat.config.ts"), config);
    await run("npx", ["hardhat", "build"], { cwd: project, env });
    const artifact = JSON.parse(
      await readFile(join(project, "artifacts/contracts/Registered.sol/Registered.json"), "utf8"),
    ) as { readonly bytecode: string };
    assert.isAbove(artifact.bytecode.length, 100);
  });

  it("has types and factories that TypeScript checks and Node runs", async () => {
    await writeFile(join(project, "program.ts"), await example("ts"));
    const check = ["tsc", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"];
    await run("npx", [...check, "program.ts"], { cwd: project, env });
    const { stdout } = await run(
      process.execPath,
      ["--input-type=module", "-e", "console.log((await import('@sealbook/contracts')).ProofAnchor__factory.bytecode)"],
      { cwd: project, env },
    );
    assert.equal(stdout.trim(), ProofAnchor__factory.bytecode);
  });

  it("has a mock of the anchors, with which the contract is tested", async () => {
    const test = `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.28;\n\n${await example("solidity", 1)}`;
    await writeFile(join(project, "contracts/Registered.t.sol"), test);
    const { stdout } = await run("npx", ["hardhat", "test", "solidity"], { cwd: project, env });
    assert.match(stdout, /1 passing/);
  });

  it("is a plugin of Hardhat: its tasks decode, and say what they need to verify", async () => {
    const config = (await example("js")).replace('"0.8.28"', JSON.stringify(COMPILER));
    await writeFile(join(project, "hardhat.config.ts"), config);
    const check = ["tsc", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"];
    await run("npx", [...check, "hardhat.config.ts"], { cwd: project, env });
    const { inputdata } = callDataVectors().find(({ name }) => name === "own-insert-compressed") ?? assert.fail();
    const { stdout } = await run("npx", ["hardhat", "sealbook", "decode", inputdata], { cwd: project, env });
    assert.match(stdout, /^code: +series$/m);
    const refused = await run("npx", ["hardhat", "sealbook", "verify", "x"], { cwd: project, env }).catch(
      (error: unknown) => error as { readonly stderr: string },
    );
    assert.include(refused.stderr, "sealbook: name the network of the chain: --network NAME");
  });

  it("has the ABIs, and the addresses on public chains", async () => {
    assert.deepEqual(JSON.parse(await installed("abi/ProofAnchor.json")), ProofAnchor__factory.abi);
    const addresses = JSON.parse(await installed("addresses.json"));
    assert.deepEqual(Object.keys(addresses), ["5"]);
    assert.equal(addresses["5"].contracts.ProofAnchor, ZeroAddress);
    assert.equal(addresses["5"].firstBlock, 7);
  });
});
