import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { claimsIn } from "../scripts/docs/security-register.ts";

const ROOT = join(import.meta.dirname, "..");
const pageOf = (name: string): string => readFileSync(join(ROOT, "docs", name), "utf8");

/** Returns the anchor that a Markdown page has for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}

describe("the security document", () => {
  const links = [...pageOf("security.md").matchAll(/\]\(([\w.-]+)(?:#([^)]+))?\)/g)];

  it("links to existing targets", () => {
    assert.isNotEmpty(links);
    for (const [link, target = "", anchor] of links) {
      assert.isTrue(existsSync(join(ROOT, "docs", target)), link);
      if (anchor === undefined) continue;
      const anchors = [...pageOf(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
      assert.include(anchors, anchor, link);
    }
  });

  it("has an attacker for each section of the register, which has claims", () => {
    const linked = links.flatMap(([, target, anchor]) => (target === "security-register.md" && anchor ? [anchor] : []));
    const [, ...sections] = pageOf("security-register.md").split(/^## /m);
    assert.sameMembers(
      linked,
      sections.map((section) => anchorOf(section.split("\n", 1)[0] ?? "")),
    );
    for (const section of sections) assert.match(section, /^\| .+ \| \[.+\]\(.+\) \| .+ \|$/m);
  });

  it("has claims for each of its attackers", () => {
    const [, ...sections] = pageOf("security.md").split(/^## /m);
    for (const section of sections) {
      if (/^(?:Keys|Known limits)\n/.test(section)) continue;
      assert.include(section, "](security-register.md#", section.split("\n", 1)[0]);
    }
  });
});

describe("claims above tests", () => {
  const claim = "// Security, network: cannot do harm";

  it("belong to the test that follows, with others or alone", () => {
    const common = { attacker: "network", claim: "cannot do harm", title: 'is … "safe"' };
    assert.deepEqual(claimsIn("a.test.ts", `  ${claim}\n${claim}\n  it(\n    \`is \${name} "safe"\`, () => {`), [
      { ...common, file: "a.test.ts" },
      { ...common, file: "a.test.ts" },
    ]);
    assert.deepEqual(claimsIn("A.t.sol", `${claim}\nfunction invariant_safe() public view {`), [
      { ...common, file: "A.t.sol", title: "invariant_safe" },
    ]);
  });

  for (const [problem, source, reason] of [
    [
      "an unknown attacker",
      '\n// Security, nobody: x\nit("y", () => {',
      /^a\.test\.ts:2: the attacker "nobody" is unk/,
    ],
    [
      "another form",
      '// Security (network): x\nit("y", () => {',
      /^a\.test\.ts:1: write \/\/ Security, ATTACKER: CLAIM/,
    ],
    ["no test", `${claim}\n\nconst x = 1;`, /^a\.test\.ts:1: no test follows this claim/],
    ["a blank line", `${claim}\n\nit("y", () => {`, /^a\.test\.ts:1: no test follows this claim/],
  ] as const) {
    it(`are rejected with file and line for ${problem}`, () => {
      assert.throws(() => claimsIn("a.test.ts", source), reason);
    });
  }
});
