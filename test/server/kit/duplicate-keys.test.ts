import { assert } from "chai";
import fc from "fast-check";
import { duplicateKeys } from "../../../server/kit/duplicate-keys.ts";

const paths = (text: string): string[] => [...duplicateKeys(text)].map((path) => path.join("."));

describe("duplicate keys", () => {
  const cases: readonly (readonly [what: string, text: string, paths: string[]])[] = [
    ["of different values", '{"a":1,"a":2}', ["a"]],
    ["of equal values", '{"a":{"b":1},"a":{"b":1}}', ["a"]],
    ["that appear three times", '{"a":1,"a":2,"a":3}', ["a", "a"]],
    ["in an object of a list", '{"readings":[{"pm":1},{"pm":2,"at":"","pm":3}]}', ["readings.1.pm"]],
    ["in lists of lists", '[[],[1,[{}, {"a":1, "a":1}]]]', ["1.1.1.a"]],
    ["at several depths", '{"a":{"b":1,"b":2},"c":0,"a":[{"d":1,"d":2}]}', ["a.b", "a", "a.0.d"]],
    ["that are escaped differently", '{"a":1,"\\u0061":2}', ["a"]],
    ["with quotes and backslashes", '{"\\\\":1,"\\"":2,"\\\\\\"":3,"\\u005c\\u0022":4}', ['\\"']],
    ["between white space", '{ "a"\t:\n1 ,\r\n"a" : 2 }', ["a"]],
    ["named __proto__", '{"__proto__":1,"__proto__":2}', ["__proto__"]],
    ["named like a method", '{"constructor":1,"toString":2,"constructor":3}', ["constructor"]],
    ["that are empty", '{"":1,"":2}', [""]],
    ["of other scripts", '{"ключ":1,"😀":2,"\\ud83d\\ude00":3,"ключ":4}', ["😀", "ключ"]],
    ["with numbers for names", '{"1":1,"1":2}', ["1"]],
  ];
  for (const [what, text, expected] of cases)
    it(`${what} are found`, () => {
      JSON.parse(text);
      assert.deepEqual(paths(text), expected);
    });

  const unique: readonly (readonly [what: string, text: string])[] = [
    ["the same key in different objects", '{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}'],
    ["a text like a key", '{"a":"a","b":["a","a"],"c":{"d":"a"}}'],
    ["a text with JSON in it", '{"a":"{\\"a\\":1,\\"a\\":2}","b":",\\"a\\":"}'],
    ["keys that Unicode considers equivalent", '{"\\u00e9":1,"e\\u0301":2}'],
    ["keys of different cases", '{"a":1,"A":2}'],
    ["a text that ends with backslashes", '{"a":"\\\\","b":"\\\\\\\\"}'],
    ["a scalar", '"a"'],
    ["nothing", ""],
  ];
  for (const [what, text] of unique) it(`are none in ${what}`, () => assert.isEmpty(paths(text)));

  it("are none in what JSON.stringify writes", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => assert.isEmpty(paths(JSON.stringify(value)))));
  });

  it("are found wherever a member is written again", () => {
    const key = fc.string({ unit: "binary", maxLength: 5 });
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, index) => {
        const members = Object.entries(value).map((member) => member.map((part) => JSON.stringify(part)).join(":"));
        const again = index % members.length;
        const text = `[0,{${[...members, members[again]].join(",")}}]`;
        const [name = ""] = Object.entries(value)[again] ?? [];
        assert.deepEqual([...duplicateKeys(text)], [[1, name]]);
      }),
    );
  });

  it("are found at any depth, without recursion", () => {
    const depth = 100_000;
    const text = `${'{"a":['.repeat(depth)}{"b":1,"b":2}${"]}".repeat(depth)}`;
    const [path] = duplicateKeys(text);
    assert.lengthOf(path ?? [], 2 * depth + 1);
  });
});
