/** What the standard fonts of PDF have beyond ASCII and Latin-1. */
const OTHERS = "ŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™";

/**
 * A text that the standard fonts can show whole: every other character, and everything that would not be seen, stands
 * there as its code, `\u{4f60}`. What reads like such a code is written so that it cannot be taken for one.
 */
export function printable(text: string): string {
  return Array.from(text.replaceAll("\\u{", "\\u{5c}u{"), (character) =>
    isShown(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  ).join("");
}

function isShown(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  // No-break space and soft hyphen look like something else, or like nothing.
  return (code >= 0x20 && code < 0x7f) || (code > 0xa0 && code <= 0xff && code !== 0xad) || OTHERS.includes(character);
}
