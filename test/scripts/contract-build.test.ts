import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { HARDHAT } from "../../scripts/hardhat.ts";
import { ROOT } from "../../server/kit/program-files.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const run = promisify(execFile);
const BUILDS = 3;

/** Writes to a file when a build begins and ends. */
const CONFIG = `import { appendFileSync } from "node:fs";
import { contractBuild } from "${join(ROOT, "scripts/tasks/build.ts")}";
const log = (line) => appendFileSync("builds.log", \`\${line} \${process.pid}\\n\`);
const logged = {
  id: "logged",
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        async build(context, files, options, next) {
          log("begin");
          const result = await next(context, files, options);
          log("end");
          return result;
        },
      }),
    }),
  },
};
export default {
  plugins: [logged, contractBuild],
  solidity: { version: "0.8.37", path: "${join(ROOT, "node_modules/solc/soljson.js")}" },
};
`;
const CONTRACT = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

contract Empty {}
`;

describe("the build of the contracts", () => {
  let project: string;

  before(async () => {
    project = await temporaryDirectory();
    await mkdir(join(project, "contracts"));
    await symlink(join(ROOT, "node_modules"), join(project, "node_modules"));
    await writeFile(join(project, "package.json"), '{"type":"module"}');
    await writeFile(join(project, "hardhat.config.ts"), CONFIG);
    await writeFile(join(project, "contracts/Empty.sol"), CONTRACT);
  });
  after(() => removeDirectory(project));

  it("runs in one process at a time, while others wait", async () => {
    const env = { ...SURROUNDINGS, NO_COLOR: "1" };
    const build = (): Promise<unknown> =>
      run(process.execPath, [HARDHAT, "build", "--force", "--quiet"], { cwd: project, env });
    await Promise.all(Array.from({ length: BUILDS }, build));
    assert.isTrue(existsSync(join(project, "artifacts/contracts/Empty.sol/Empty.json")));
    const lines = (await readFile(join(project, "builds.log"), "utf8")).trim().split("\n");
    const processes = lines.filter((_, index) => index % 2 === 0).map((line) => line.replace("begin ", ""));
    assert.lengthOf(new Set(processes), BUILDS);
    assert.deepEqual(
      lines,
      processes.flatMap((process) => [`begin ${process}`, `end ${process}`]),
    );
  });
});
