import { assert } from "chai";
import fc from "fast-check";
import { follow, type JsonPathStep, parseJsonPath } from "../../../server/bot/json-path.ts";
import type { JsonValue } from "../../../server/kit/json.ts";

const value: JsonValue = { pm25: 7, sensors: [{ "pm2.5": { value: 12.5 } }, { "pm2.5": { value: "13" } }], "it's": 1 };

/** Writes a path as a person would. */
function textOf(steps: readonly JsonPathStep[]): string {
  const written = steps.map((step) =>
    typeof step === "number" ? `[${step}]` : `['${step.replace(/['\\]/gu, "\\$&")}']`,
  );
  return `$${written.join("")}`;
}

describe("a path into JSON", function () {
  const cases: readonly (readonly [path: string, found: JsonValue])[] = [
    ["$.pm25", 7],
    ["pm25", 7],
    [".pm25", 7],
    ["$['pm25']", 7],
    ['$["pm25"]', 7],
    ["$.sensors[0]['pm2.5'].value", 12.5],
    ["sensors[-1]['pm2.5'].value", "13"],
    ["$['it\\'s']", 1],
    ["$", value],
  ];
  for (const [path, found] of cases) {
    it(`${path} leads to ${JSON.stringify(found)}`, () =>
      assert.deepEqual(follow(value, parseJsonPath(path) ?? assert.fail("no path")), found));
  }

  for (const path of [
    "$.none",
    "$.sensors[2]",
    "$.pm25.x",
    "$.sensors.length",
    "$.constructor",
    "$.__proto__",
    "$['toString']",
    "$[0]",
  ]) {
    it(`${path} matches nothing`, () =>
      assert.isUndefined(follow(value, parseJsonPath(path) ?? assert.fail("no path"))));
  }

  for (const path of [
    "$..pm25",
    "$.sensors[*]",
    "$.a b",
    "$.a.",
    "$[",
    "$['a",
    "$[1.5]",
    "$.a[?(@.b)]",
    "x".repeat(300),
  ]) {
    it(`${path.slice(0, 20)} is invalid`, () => assert.isUndefined(parseJsonPath(path)));
  }

  const step = fc.oneof(fc.string(), fc.integer({ min: -1e6, max: 1e6 }));

  it("round-trips through its text", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps: JsonPathStep[]) => {
        const text = textOf(steps);
        if (text.length <= 256) assert.deepEqual(parseJsonPath(text), steps);
      }),
    );
  });

  it("finds any value in any surrounding JSON", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.nat(5)), { maxLength: 6 }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (steps, leaf) => {
          const around = steps.reduceRight<JsonValue>(
            (inner, at) =>
              typeof at === "number"
                ? [...Array<null>(at).fill(null), inner]
                : Object.fromEntries([
                    ["other", 1],
                    [at, inner],
                  ]),
            leaf,
          );
          assert.strictEqual(follow(around, steps), leaf);
        },
      ),
    );
  });

  it("finds JSON values only, and never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (document, text) => {
        const steps = parseJsonPath(text);
        const found = steps && follow(document as JsonValue, steps);
        assert.notEqual(typeof found, "function");
      }),
    );
  });
});
