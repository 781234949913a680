import type { PDFFont } from "pdf-lib";

/** Breaks a text into lines of at most `width` points, between words and inside words that exceed a line. */
export function linesOf(text: string, font: PDFFont, size: number, width: number): string[] {
  const fits = (line: string): boolean => font.widthOfTextAtSize(line, size) <= width;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<= )/)) {
    if (fits((line + word).trimEnd())) {
      line += word;
      continue;
    }
    if (line !== "") lines.push(line.trimEnd());
    const pieces = piecesOf(word, fits);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? "";
  }
  return [...lines, line.trimEnd()];
}

/** Splits a word into pieces that fit; the last piece is the remainder. */
function piecesOf(word: string, fits: (line: string) => boolean): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const character of word) {
    if (!fits((piece + character).trimEnd())) {
      pieces.push(piece);
      piece = "";
    }
    piece += character;
  }
  return [...pieces, piece];
}

/** Characters of the standard PDF fonts outside of ASCII and Latin-1. */
const OTHERS = "ŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™";

/**
 * Escapes characters that the standard fonts lack and invisible characters as their code, `\u{4f60}`. Text that looks
 * like such a code is escaped as well.
 */
export function printable(text: string): string {
  return Array.from(text.replaceAll("\\u{", "\\u{5c}u{"), (character) =>
    isShown(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  ).join("");
}

function isShown(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  // Excludes the no-break space and the soft hyphen, which look like other characters or are invisible.
  return (code >= 0x20 && code < 0x7f) || (code > 0xa0 && code <= 0xff && code !== 0xad) || OTHERS.includes(character);
}
