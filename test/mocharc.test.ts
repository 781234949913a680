import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { assert } from "chai";

const ROOT = join(import.meta.dirname, "..");
/** Hardhat runs them. */
const OF_CONTRACTS = "test/contracts/";

describe("the configuration of mocha", () => {
  it("lists every test file once", () => {
    const { spec } = JSON.parse(readFileSync(join(ROOT, ".mocharc.json"), "utf8")) as { spec: string[] };
    const files = globSync("test/**/*.test.ts", { cwd: ROOT }).filter((file) => !file.startsWith(OF_CONTRACTS));
    assert.isAbove(files.length, 200);
    for (const file of files) {
      const patterns = spec.filter((pattern) => matchesGlob(file, pattern));
      assert.lengthOf(patterns, 1, `${file}: add its folder to .mocharc.json`);
    }
  });
});
