import { assert } from "chai";
import fc from "fast-check";
import { JsonSplitter } from "../../../../server/chain/rpc/json-splitter.ts";

const LARGEST = 1024 * 1024;

/** What comes out when bytes come in pieces. */
function split(pieces: readonly Buffer[], largest = LARGEST): string[] {
  const splitter = new JsonSplitter(largest);
  return pieces.flatMap((piece) => splitter.push(piece));
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const ends = [...new Set(at.map((position) => position % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

describe("JSON splitter", () => {
  const message = fc
    .oneof(fc.object({ withNullPrototype: false }), fc.array(fc.jsonValue()))
    .map((value) => JSON.stringify(value));
  const unicode = fc
    .record({ [`"key\\`]: fc.string({ unit: "binary" }), b: fc.string({ unit: "grapheme" }) })
    .map((value) => JSON.stringify(value));
  const between = fc.constantFrom("", "\n", "\r\n", " \t\n ");

  it("returns every message, however the stream is split and spaced", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.oneof(message, unicode), between)),
        between,
        fc.array(fc.nat(), { maxLength: 50 }),
        (messages, first, at) => {
          const bytes = Buffer.from(first + messages.map(([text, space]) => text + space).join(""));
          // Lone surrogates have no bytes of their own.
          const expected = messages.map(([text]) => Buffer.from(text).toString());
          assert.deepEqual(split(cut(bytes, at)), expected);
        },
      ),
    );
  });

  it("returns messages received byte by byte, and pretty-printed ones", () => {
    const value = { "{": ["}", '"', '\\"', "ü€😀", { a: [[], {}] }], n: -1.5e3 };
    const text = `${JSON.stringify(value, null, 2)}[1]{}\n`;
    const pieces = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    assert.deepEqual(
      split(pieces).map((each) => JSON.parse(each) as unknown),
      [value, [1], {}],
    );
  });

  it("returns a message at its last byte", () => {
    const splitter = new JsonSplitter(LARGEST);
    assert.deepEqual(splitter.push(Buffer.from('{"a":')), []);
    assert.deepEqual(splitter.push(Buffer.from("1}{")), ['{"a":1}']);
    assert.deepEqual(splitter.push(Buffer.from("}")), ["{}"]);
  });

  it("rejects anything but JSON objects and arrays, and messages above the maximum length", () => {
    for (const text of ["x", "1", "null", '"text"', "{}x", "HTTP/1.1 400 Bad Request", "]", "\u00ff"]) {
      assert.throws(() => split([Buffer.from(text)]), "not JSON", text);
    }
    assert.throws(() => split([Buffer.from(`["${"a".repeat(100)}"]`)], 100), "more than 100 bytes");
    assert.throws(
      () => split([Buffer.from(`["${"a".repeat(50)}`), Buffer.from("b".repeat(50))], 100),
      "more than 100 bytes",
    );
    assert.lengthOf(split([Buffer.from(`["${"a".repeat(90)}"]`.repeat(5))], 100), 5);
  });
});
