import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SURROUNDINGS } from "./support/surroundings.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PAGES = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith(".md"),
);

describe("README", () => {
  it("has a current table of the configuration", () => {
    const { status, stderr } = spawnSync(process.execPath, ["scripts/docs.ts", "--check"], {
      cwd: ROOT,
      env: SURROUNDINGS,
      encoding: "utf8",
    });
    expect(status, stderr).to.equal(0);
  });

  it("links to files that exist", () => {
    for (const page of PAGES) {
      for (const [, target = ""] of read(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
        if (target.startsWith("https:")) continue;
        expect(existsSync(join(ROOT, page, "..", target)), `${page}: ${target}`).to.equal(true);
      }
    }
  });

  it("leads to every page in at most 150 lines", () => {
    const readme = read("README.md");
    expect(readme.split("\n").length).to.be.at.most(151);
    for (const page of PAGES.slice(1)) expect(readme).to.include(`](${page})`);
  });
});
