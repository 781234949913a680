import fc from "fast-check";
import type { ParsedJson } from "../support/parsed-json.ts";

/** A JSON schema of the document. */
type Schema = ParsedJson;

const DEEP = Array.from({ length: 400 }).reduce<unknown>((inner) => ({ a: inner }), 1);
const LIST = Array.from({ length: 400 }).reduce<unknown>((inner) => [inner], 1);

/** What has gone wrong somewhere at some time. */
const ODD_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\r\n",
  "\ud800",
  "\udc00x",
  "\u202e",
  "\ufeff",
  "é",
  "e\u0301",
  "ﷺ",
  "👩‍👩‍👧",
  "x".repeat(300),
  "ü".repeat(600),
  "x".repeat(70_000),
  "%",
  "%00",
  "%ff",
  "%2e%2e%2f",
  "../../../etc/passwd",
  "..\\..\\x",
  "' OR 1=1 --",
  '"; DROP TABLE records; --',
  "*",
  "\\*",
  "\\",
  "**********",
  "(a+)+$",
  "<script>alert(1)</script>",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "NaN",
  "-0",
  "1e999",
  "0x",
  `0x${"0".repeat(64)}`,
  "f".repeat(64),
  `0x${"F".repeat(40)}`,
  "0x4bd06e05",
  `0xf609bacf${"f".repeat(640)}`,
  `0xf609bacf${"0".repeat(640)}`,
  "2026-02-30",
  "0000-01-01",
  "9999-12-31",
  "2026-11-21T24:61:61Z",
  "-271821-04-20",
  "999999999999",
];
const ODD_NUMBERS = [0, -0, -1, 0.5, 1e21, -1e21, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324];

const ODD_KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "",
  "\0",
  "a.b",
  "$ref",
  "ü",
  "x".repeat(1_000),
];

/** A value of any type, often one that something stumbled over. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.constantFrom(...ODD_NUMBERS),
  fc.constantFrom(null, true, false, [], {}, [[]], [{}], DEEP, LIST),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.dictionary(fc.oneof(fc.constantFrom(...ODD_KEYS), fc.string({ maxLength: 5 })), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 4,
  }),
  fc.jsonValue(),
);

export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: "binary", maxLength: 40 }),
);

/** A value as a schema without references describes it; now and then something in it is not. */
export function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: good(schema), weight: 12 }, { arbitrary: oddValue, weight: 1 });
}

function good(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices: Schema[] | undefined = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return fc.oneof(...choices.map(valueOf));
  switch (schema.type) {
    case "object":
      return object(schema);
    case "array":
      return fc.array(valueOf(schema.items), {
        minLength: schema.minItems ?? 0,
        maxLength: (schema.minItems ?? 0) + 4,
      });
    case "integer":
    case "number":
      return fc.oneof(
        fc.integer({ min: 0, max: 1_000 }),
        fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 }),
      );
    case "boolean":
      return fc.boolean();
    case "string":
      return text(schema);
    default:
      return fc.jsonValue();
  }
}

function text({ pattern, format, minLength = 0, maxLength = 200, examples = [] }: Schema): fc.Arbitrary<string> {
  if (format === "uuid") return fc.uuid();
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { size: "small" });
  const free = fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 200) });
  return examples.length === 0 ? free : fc.oneof(free, fc.constantFrom<string>(...examples));
}

function object({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries<Schema>(properties).map(([name, schema]) => [name, valueOf(schema)]),
  );
  // Now and then even what is required is missing.
  const whole = fc.record(fields, { requiredKeys: required });
  const usual = fc.oneof(
    { arbitrary: whole, weight: 10 },
    { arbitrary: fc.record(fields, { requiredKeys: [] }), weight: 1 },
  );
  const more = fc.dictionary(fc.oneof(fc.constantFrom(...ODD_KEYS), fc.string({ maxLength: 5 })), oddValue, {
    maxKeys: 2,
  });
  const often = additionalProperties === undefined || additionalProperties === false ? 12 : 2;
  return fc.oneof(
    { arbitrary: usual, weight: often },
    {
      arbitrary: fc
        .tuple(usual, more)
        .map(([value, extra]) => Object.fromEntries([...Object.entries(value), ...Object.entries(extra)])),
      weight: 1,
    },
  );
}

/** The JSON text of a value, as odd senders write it: with keys that come twice, white space, or a fault. */
export function jsonText(value: unknown): fc.Arbitrary<string> {
  const plain = JSON.stringify(value) ?? "";
  return fc.oneof(
    { arbitrary: fc.constant(plain), weight: 20 },
    {
      arbitrary: fc.constantFrom(
        `\ufeff${plain}`,
        ` \n\t${plain}\r\n`,
        plain.replace("{", '{"__proto__":{"route":1},'),
        plain.replace(/("[\w]+":)/, "$1 null,$1"),
        plain.slice(0, -1),
        `${plain}${plain}`,
        `[${plain}]`,
        plain.replaceAll("0", "0e999"),
        plain.replaceAll(/\d+/g, "123456789012345678901234567890"),
        `${"[".repeat(5_000)}${plain}`,
        "",
        "null",
      ),
      weight: 1,
    },
  );
}
