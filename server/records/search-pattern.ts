import type { SearchPattern } from "./record.ts";

/**
 * Parses a key phrase: `*` matches any characters, `\*` a star. Every other character, including a lone backslash,
 * matches itself.
 */
export function parseSearchPattern(phrase: string): SearchPattern {
  let piece = "";
  const pieces: string[] = [];
  for (let index = 0; index < phrase.length; index += 1) {
    const character = phrase.charAt(index);
    if (character === "\\" && phrase.charAt(index + 1) === "*") {
      piece += "*";
      index += 1;
    } else if (character === "*") {
      pieces.push(piece);
      piece = "";
    } else {
      piece += character;
    }
  }
  const [first, ...rest] = [...pieces, piece];
  return [first ?? "", ...rest];
}
