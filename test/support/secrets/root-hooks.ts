import { relative } from "node:path";
import type { Context, RootHookObject, Suite } from "mocha";
import { secretWatch } from "./watch.ts";

const ROOT = `${import.meta.dirname}/../../..`;

/**
 * Required by every run: checks that the output of a test file's servers contains none of their secrets. In parallel
 * runs mocha calls these for each file, else once for all.
 */
export const mochaHooks: RootHookObject = {
  beforeAll() {
    secretWatch.begin();
  },
  afterAll(this: Context) {
    const leaks = secretWatch.end();
    if (leaks.length === 0) return;
    const files = new Set(
      rootOf(this.runnable().parent).suites.flatMap(({ file }) => (file === undefined ? [] : [relative(ROOT, file)])),
    );
    // The error must not contain the secret itself either.
    throw new Error(`${[...files].join(", ")}: ${leaks.map(({ kind, where }) => `${kind} is in ${where}`).join("; ")}`);
  },
};

function rootOf(suite: Suite | undefined): Suite {
  if (suite === undefined) throw new TypeError("a hook belongs to a suite");
  return suite.parent === undefined ? suite : rootOf(suite.parent);
}
