import { assert } from "chai";
import { PDFDocument } from "@cantoo/pdf-lib";
import { embedFonts, type Fonts } from "../../../../server/attestation/pdf/fonts.ts";
import { printable, linesOf } from "../../../../server/attestation/pdf/text-lines.ts";

describe("text for the fonts of the PDF", () => {
  let fonts: Fonts;
  before(async () => {
    fonts = await embedFonts(await PDFDocument.create());
  });

  it("is unchanged where the fonts have it, and shows the code of other characters", () => {
    const cases = [
      ["", ""],
      ["plain ~ text", "plain ~ text"],
      ["Größe „ß“ €5 – ÿ", "Größe „ß“ €5 – ÿ"],
      ["Договор № 7 «Ёлка», ґ ї є ў ђ", "Договор № 7 «Ёлка», ґ ї є ў ђ"],
      ["Συμβόλαιο, Հայերեն, ქართული, Tiếng Việt, ≤ → ☃", "Συμβόλαιο, Հայերեն, ქართული, Tiếng Việt, ≤ → ☃"],
      ["你好", "\\u{4f60}\\u{597d}"],
      ["שלום", "\\u{5e9}\\u{5dc}\\u{5d5}\\u{5dd}"],
      ["a\nb\t\u0000\u007f\u0085", "a\\u{a}b\\u{9}\\u{0}\\u{7f}\\u{85}"],
      ["\u00a0\u00ad\u202e\u200b\u2009", "\\u{a0}\\u{ad}\\u{202e}\\u{200b}\\u{2009}"],
      ["C:\\users", "C:\\users"],
      ["\\u{41}", "\\u{5c}u{41}"],
    ];
    for (const [text = "", expected] of cases) assert.equal(printable(text, fonts.regular), expected);
  });

  it("contains only characters of all fonts, each with its own glyph", () => {
    for (const font of [fonts.regular, fonts.bold, fonts.mono]) {
      const glyphs = new Map<string, string>();
      for (let code = 0; code < 0x3000; code += 1) {
        const character = String.fromCodePoint(code);
        const shown = printable(character, font);
        assert.doesNotThrow(() => font.encode(shown), `for ${code}`);
        if (shown !== character) continue;
        const glyph = font.encode(shown).asString();
        assert.isUndefined(glyphs.get(glyph), `${code} has a glyph of its own`);
        glyphs.set(glyph, character);
        assert.approximately(font.width(shown, 10), font.pdf.widthOfTextAtSize(shown, 10), 1e-9);
      }
      assert.isAbove(glyphs.size, 2_000);
    }
  });

  it("breaks between words, and within words longer than a line", () => {
    const character = fonts.mono.width("x", 10);
    const lines = (text: string, characters: number): string[] =>
      linesOf(text, fonts.mono, 10, (characters + 0.5) * character);
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
