import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";

const ROOT = join(import.meta.dirname, "..");
const text = readFileSync(join(ROOT, "docs/security.md"), "utf8");

/** Titles of the tests in a file; `…` stands for what is filled in. */
function titlesIn(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  if (file.endsWith(".sol"))
    return [...source.matchAll(/function ((?:test|invariant)\w+)\(/g)].map(([, name = ""]) => name);
  const titles = [...source.matchAll(/\bit\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g)];
  return titles.map(([, plain = "", template = ""]) => (plain + template).replaceAll(/\$\{[^}]*\}/g, "…"));
}

describe("the security document", () => {
  const references = [...text.matchAll(/`(test\/[^`]+)` "([^"]+)"/g)].map(([, file = "", title = ""]) => ({
    file,
    title,
  }));

  it("names existing tests", () => {
    assert.isAbove(references.length, 40);
    for (const { file, title } of references) {
      assert.isTrue(existsSync(join(ROOT, file)), file);
      assert.include(titlesIn(file), title, file);
    }
  });

  it("names a test for every claim", () => {
    const [, ...sections] = text.split("\n| | Shown by |\n|---|---|\n");
    assert.isAbove(sections.length, 8);
    const lines = sections.flatMap((section) => section.split("\n\n")[0]?.trimEnd().split("\n") ?? []);
    for (const line of lines) {
      const [, claim = "", shown = ""] = line.split("|").map((cell) => cell.trim());
      // A capability needs no test.
      if (/^(of [^:]+: )?(can|learns) /.test(claim) && !/\bbut\b/.test(claim)) continue;
      assert.match(shown, /^`test\/[^`]+` "[^"]+"$/, claim);
    }
  });

  it("links to existing targets", () => {
    for (const [, target = "", anchor = ""] of text.matchAll(/\]\(([\w.]+)#([^)]+)\)/g)) {
      const headings = [...readFileSync(join(ROOT, "docs", target), "utf8").matchAll(/^#+ (.*)$/gm)].map(
        ([, heading = ""]) => heading,
      );
      const anchors = headings.map((heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, "")
          .replaceAll(" ", "-"),
      );
      assert.include(anchors, anchor);
    }
  });
});
