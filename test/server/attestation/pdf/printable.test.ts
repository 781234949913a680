import { assert } from "chai";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { printable, linesOf } from "../../../../server/attestation/pdf/text-lines.ts";

describe("text for the standard fonts of PDF", () => {
  it("stays as it is where they have it, and else shows its code", () => {
    const cases = [
      ["", ""],
      ["plain ~ text", "plain ~ text"],
      ["Größe „ß“ €5 – ÿ", "Größe „ß“ €5 – ÿ"],
      ["你好", "\\u{4f60}\\u{597d}"],
      ["\u{1f600}", "\\u{1f600}"],
      ["a\nb\t\u0000\u007f\u0085", "a\\u{a}b\\u{9}\\u{0}\\u{7f}\\u{85}"],
      ["\u00a0\u00ad\u202e\u200b", "\\u{a0}\\u{ad}\\u{202e}\\u{200b}"],
      ["C:\\users", "C:\\users"],
      ["\\u{41}", "\\u{5c}u{41}"],
    ];
    for (const [text = "", expected] of cases) assert.equal(printable(text), expected);
  });

  it("is something that every one of them can show", async () => {
    const pdf = await PDFDocument.create();
    const fonts = await Promise.all(
      [StandardFonts.Helvetica, StandardFonts.HelveticaBold, StandardFonts.Courier].map((name) => pdf.embedFont(name)),
    );
    for (let code = 0; code < 0x3000; code += 1) {
      const shown = printable(String.fromCodePoint(code));
      for (const font of fonts) assert.doesNotThrow(() => font.encodeText(shown), `for ${code}`);
    }
  });

  it("is broken between words, and within what is longer than a line", async () => {
    const font = await (await PDFDocument.create()).embedFont(StandardFonts.Courier);
    // A character is 6 points wide.
    const lines = (text: string, characters: number): string[] => linesOf(text, font, 10, characters * 6);
    assert.deepEqual(lines("", 10), [""]);
    assert.deepEqual(lines("one two three", 7), ["one two", "three"]);
    assert.deepEqual(lines("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    assert.deepEqual(lines("a bcdefghij k", 4), ["a", "bcde", "fghi", "j k"]);
    assert.deepEqual(lines("one  two", 3), ["one", "two"]);
    for (const text of ["a b c", "lorem ipsum dolor", "x".repeat(50)]) {
      for (const line of lines(text, 5)) assert.isAtMost(line.length, 5);
      assert.equal(lines(text, 5).join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
    }
  });
});
