import { assert } from "chai";
import { mutantsOf, withoutEquivalent } from "../../scripts/mutation/mutants.ts";

const FILE = "contracts/Small.sol";

function inFunction(body: string): string {
  return `contract Small {
  function run(uint256 x, bool ready) external returns (uint256 y) {
    ${body}
  }
}`;
}

function mutationsOf(source: string): string[] {
  return mutantsOf(FILE, source).map(({ mutated }) => mutated);
}

describe("Mutants of a contract", () => {
  it("have one change, and its place", () => {
    const source = inFunction("// ä\n    y = x - 5;");
    const mutants = mutantsOf(FILE, source);
    assert.deepEqual(
      mutants.map(({ file, line, original, mutated }) => [file, line, original, mutated]),
      [
        [FILE, 4, "y = x - 5;", "{}"],
        [FILE, 4, "y = x - 5;", "y = x + 5;"],
        [FILE, 4, "y = x - 5;", "y = x - 4;"],
        [FILE, 4, "y = x - 5;", "y = x - 6;"],
      ],
    );
    assert.equal(mutants[1]?.source, source.replace("x - 5", "x + 5"));
  });

  for (const [body, mutations] of [
    ["if (ready) revert();", ["if (!(ready)) revert();", "if (ready) {}"]],
    ["if (!ready) return 0x0f;", ["if (ready) return 0x0f;", "if (!ready) {}", "if (!ready) return 0x0e;"]],
    ["y += x;", ["{}", "y -= x;"]],
    ["y = x++;", ["{}", "y = x--;"]],
    ["ready = x < y;", ["{}", "ready = x <= y;", "ready = x >= y;"]],
    [
      "ready = ready && x == y;",
      ["{}", "ready = ready;", "ready = x == y;", "ready = ready || x == y;", "ready = ready && x != y;"],
    ],
    ["y = ready ? x : y;", ["{}", "y = x;", "y = y;"]],
    ["emit Done(true);", ["{}", "emit Done(false);"]],
    ['log("a - b");', ["{}", 'log("");']],
    [
      "assembly { y := iszero(add(x, y)) }",
      ["assembly { {} }", "assembly { y := add(x, y) }", "assembly { y := iszero(sub(x, y)) }"],
    ],
  ] as const) {
    it(body, () => assert.deepEqual(mutationsOf(inFunction(body)), [...mutations]));
  }

  it("lack a modifier", () => {
    const source = "contract Small { function run() external onlyRole(ROLE) {} }";
    assert.deepEqual(mutationsOf(source), ["contract Small { function run() external {} }"]);
  });

  it("have the comments of the original", () => {
    assert.deepEqual(mutationsOf(inFunction("// y = x - 1;\n    /* if (ready) revert(); */")), []);
    assert.deepEqual(mutationsOf(inFunction("y = x /* - */ - y; // -")), ["{} // -", "y = x /* - */ + y; // -"]);
  });

  it("lack those that are listed as equivalent", () => {
    const mutants = mutantsOf(FILE, inFunction("y = x - y;"));
    const entry = { file: FILE, original: "y = x - y;", mutated: "y = x + y;", reason: "y is 0" };
    const gone = { ...entry, mutated: "y = x * y;" };
    const { mutants: left, unused } = withoutEquivalent(mutants, [
      entry,
      gone,
      { ...gone, file: "contracts/Other.sol" },
    ]);
    assert.deepEqual(
      left.map(({ mutated }) => mutated),
      ["{}"],
    );
    assert.deepEqual(unused, [gone]);
  });

  it("need a source that parses", () => {
    assert.throws(() => mutantsOf(FILE, "contract {"), "contracts/Small.sol does not parse");
  });
});
