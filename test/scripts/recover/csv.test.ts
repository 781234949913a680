import { assert } from "chai";
import fc from "fast-check";
import { CsvError, readCsv } from "../../../scripts/recover/manifest.ts";

const rows = (text: string): (readonly string[])[] => [...readCsv(text)].map(({ fields }) => fields);
const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;

describe("CSV", () => {
  it("is parsed as in RFC 4180", () => {
    assert.deepEqual(rows("a,b\r\n1,2\r\n"), [
      ["a", "b"],
      ["1", "2"],
    ]);
    assert.deepEqual(rows("a,b\n1,2"), [
      ["a", "b"],
      ["1", "2"],
    ]);
    assert.deepEqual(rows('"a","b ""c"" d"\n"x,y","1\r\n2"\n'), [
      ["a", 'b "c" d'],
      ["x,y", "1\r\n2"],
    ]);
    assert.deepEqual(rows("a,,\n,,b\n"), [
      ["a", "", ""],
      ["", "", "b"],
    ]);
    assert.deepEqual(rows(" a , b \n"), [[" a ", " b "]], "spaces are part of a field");
    assert.deepEqual(rows("a,"), [["a", ""]], "the last field may be empty at the end of the file");
    assert.deepEqual(rows('""\n"",""\n'), [["", ""]]);
  });

  it("ignores a byte order mark and empty lines", () => {
    assert.deepEqual(rows("\uFEFFa,b\n\n1,2\n\n\n"), [
      ["a", "b"],
      ["1", "2"],
    ]);
    assert.deepEqual(rows(""), []);
    assert.deepEqual(rows("\uFEFF"), []);
  });

  it("reports the first line of each row", () => {
    assert.deepEqual(
      [...readCsv('a,"1\n2"\n\nb,"3\r\n\r\n4"\nc,d')].map(({ line }) => line),
      [1, 4, 7],
    );
  });

  it("is rejected with the line of a fault", () => {
    for (const [text, line] of [
      ['a,b\nc,"d', 2],
      ['a,b"c\n', 1],
      ['"a"b,c\n', 1],
      ['a\n"b" ,c\n', 2],
      ["a\rb,c", 1],
    ] as const) {
      assert.throws(() => rows(text), CsvError, `line ${line}:`, JSON.stringify(text));
    }
  });

  it("round-trips quoted fields", () => {
    const table = fc.array(
      fc.array(fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", " ", "é", "☃") }), {
        minLength: 2,
        maxLength: 4,
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(table, fc.constantFrom("\n", "\r\n"), (fields, end) => {
        assert.deepEqual(rows(fields.map((row) => row.map(quoted).join(",") + end).join("")), fields);
      }),
    );
  });
});
