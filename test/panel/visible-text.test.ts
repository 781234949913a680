import { assert } from "chai";
import { visibleText } from "../../panel/src/visible-text.ts";

const HIDDEN = [
  0x202e, 0x200b, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff, 0x061c, 0x200e, 0x00ad, 0x2028, 0x0000, 0x3164, 0xe0041,
];

describe("text of the panel", () => {
  // Security, panel: a name with invisible or reordering characters does not look like another name
  it("has the numbers of characters that are invisible or change the order of others", () => {
    for (const code of HIDDEN) {
      const number = code.toString(16).toUpperCase().padStart(4, "0");
      assert.equal(visibleText(`a${String.fromCodePoint(code)}b`), `a[U+${number}]b`);
    }
    assert.equal(visibleText("invoice\u202Efdp.exe"), "invoice[U+202E]fdp.exe");
  });

  it("is otherwise unchanged", () => {
    for (const text of ["", "plain", "two\nlines\tand a tab", "Договор № 5", "حساب", "日本語", "❤️", "e\u0301", "a b"])
      assert.equal(visibleText(text), text);
  });
});
