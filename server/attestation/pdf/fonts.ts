import { readFile } from "node:fs/promises";
import * as fontkit from "fontkit";
import { type PDFDocument, type PDFFont, PDFHexString } from "@cantoo/pdf-lib";
import { libraryFile } from "../../kit/program-files.ts";

const FILES = {
  regular: "DejaVuSansCondensed.ttf",
  bold: "DejaVuSansCondensed-Bold.ttf",
  mono: "DejaVuSansMono.ttf",
} as const;

type FontName = keyof typeof FILES;

/** The mark of an embedded subset in a font's name (ISO 32000-1, 9.6.4). */
const SUBSET_MARK = "SEALBK";
/** Characters without ink, other than the space. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
/** Scripts whose letters are printed in another order than in the text, or change with their neighbours. */
const COMPLEX = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Lao}\p{Script=Tifinagh}]/u;

interface FontFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Width of each character that the font shows, in thousandths of its size. */
  readonly widths: ReadonlyMap<string, number>;
}

const files = new Map<FontName, Promise<FontFile>>();

/**
 * A font in a document. Each character has one glyph, whatever its neighbours, so that a line has the width of its
 * characters and is copied as it was written.
 */
export class PageFont {
  readonly pdf: PDFFont;
  readonly #widths: FontFile["widths"];
  /** Glyphs of characters, as hexadecimal digits. */
  readonly #glyphs = new Map<string, string>();

  constructor(pdf: PDFFont, widths: FontFile["widths"]) {
    this.pdf = pdf;
    this.#widths = widths;
  }

  /** Returns whether the font shows a character: visibly, and with a glyph that stands for no other character. */
  shows(character: string): boolean {
    return this.#widths.has(character);
  }

  /** Encodes a text for the operators of a page, and includes its glyphs in the document. */
  encode(text: string): PDFHexString {
    let digits = "";
    for (const character of text) {
      let glyph = this.#glyphs.get(character);
      if (glyph === undefined) {
        glyph = this.pdf.encodeText(character).asString();
        this.#glyphs.set(character, glyph);
      }
      digits += glyph;
    }
    return PDFHexString.of(digits);
  }

  /** Returns the width of a text in points. */
  width(text: string, size: number): number {
    let sum = 0;
    for (const character of text) sum += this.#widths.get(character) ?? 0;
    return (sum * size) / 1000;
  }
}

/** The fonts of a document. */
export type Fonts = Readonly<Record<FontName, PageFont>>;

/** Embeds the fonts; the document gets only the glyphs that it uses. */
export async function embedFonts(pdf: PDFDocument): Promise<Fonts> {
  pdf.registerFontkit(fontkit);
  const embed = async (font: FontName): Promise<PageFont> => {
    const { name, bytes, widths } = await fontFile(font);
    const customName = `${SUBSET_MARK}+${name}`;
    return new PageFont(await pdf.embedFont(bytes, { subset: true, customName }), widths);
  };
  // In sequence: the order of the objects in the document must not depend on which file is read first.
  return { regular: await embed("regular"), bold: await embed("bold"), mono: await embed("mono") };
}

/** Reads a font once. */
function fontFile(font: FontName): Promise<FontFile> {
  const known = files.get(font);
  if (known !== undefined) return known;
  const read = readFont(FILES[font]);
  files.set(font, read);
  return read;
}

async function readFont(file: (typeof FILES)[FontName]): Promise<FontFile> {
  const bytes = await readFile(libraryFile(`dejavu-fonts-ttf/ttf/${file}`));
  const font = fontkit.create(bytes);
  if (!("characterSet" in font)) throw new TypeError(`${file} is a collection of fonts`);
  const taken = new Set<number>();
  const widths = new Map<string, number>();
  for (const code of [...font.characterSet].sort((a, b) => a - b)) {
    const { id, advanceWidth } = font.glyphForCodePoint(code);
    // A glyph of several characters stands for the first one: a reader must not take it for another.
    if (id === 0 || taken.has(id)) continue;
    taken.add(id);
    const character = String.fromCodePoint(code);
    if (character !== " " && (INVISIBLE.test(character) || COMPLEX.test(character))) continue;
    widths.set(character, (advanceWidth * 1000) / font.unitsPerEm);
  }
  return { name: font.postscriptName ?? file, bytes, widths };
}
