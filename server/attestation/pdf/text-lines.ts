import type { PageFont } from "./fonts.ts";

/** Breaks a text into lines of at most `width` points, between words and inside words that exceed a line. */
export function linesOf(text: string, font: Pick<PageFont, "width">, size: number, width: number): string[] {
  const fits = (line: string): boolean => font.width(line, size) <= width;
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

/**
 * Escapes the characters that a font does not show as their code, `\u{4f60}`. Text that looks like such a code is
 * escaped as well.
 */
export function printable(text: string, font: Pick<PageFont, "shows">): string {
  return Array.from(text.replaceAll("\\u{", "\\u{5c}u{"), (character) =>
    font.shows(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  ).join("");
}
