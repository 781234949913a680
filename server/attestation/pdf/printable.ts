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
