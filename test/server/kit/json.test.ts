import { assert } from "chai";
import fc from "fast-check";
import { type JsonValue, parseWithWrittenNumbers, writeJson } from "../../../server/kit/json.ts";

describe("JSON with written numbers", () => {
  const written = [
    "1.0",
    "1",
    "-0",
    "0.0",
    "0.1",
    "0.1000000000000000055",
    "1e400",
    "-1E+400",
    "1e-400",
    "1.2e+29",
    "123456789012345678901234567890",
    "9007199254740993",
    `0.${"1".repeat(5_000)}`,
  ];
  for (const number of written)
    it(`keeps ${number.slice(0, 40)}`, () => {
      for (const text of [number, `[${number}]`, `{"a":{"b":[0,${number}]}}`]) {
        assert.equal(JSON.stringify(parseWithWrittenNumbers(text)), text);
        assert.equal(writeJson(parseWithWrittenNumbers(text)), text);
      }
    });

  it("has the values of JSON.parse where JavaScript writes the numbers alike", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const plain: JsonValue = JSON.parse(text);
        assert.deepEqual(parseWithWrittenNumbers(text), plain);
      }),
    );
  });

  it("has keys like those of prototypes as ordinary ones", () => {
    const text = '{"__proto__":{"a":1.0},"constructor":{"prototype":2.0},"toString":3.0}';
    assert.equal(JSON.stringify(parseWithWrittenNumbers(text)), text);
    assert.notProperty({}, "a");
  });

  it("has the last value of a key that appears twice, as JSON.parse", () => {
    for (const text of ['{"a":1,"b":2,"a":3}', '{"a":{"x":1},"a":{"x":1}}', '{"a":[1,{"b":1}],"a":[1,{"b":2}]}'])
      assert.equal(JSON.stringify(parseWithWrittenNumbers(text)), JSON.stringify(JSON.parse(text)));
    assert.equal(JSON.stringify(parseWithWrittenNumbers('{"a":1.0,"a":1.00}')), '{"a":1.00}');
  });

  it("rejects what is not JSON", () => {
    for (const text of ["", "{", "[1,]", "01", "+1", ".5", "1.", "NaN", "Infinity", '{"a":1,}', "{'a':1}", "1 2"])
      assert.throws(() => parseWithWrittenNumbers(text), SyntaxError, undefined, text);
  });
});
