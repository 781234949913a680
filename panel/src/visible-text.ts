/**
 * Characters that show nothing, or change the order of others: with them, two different names look alike. Exempt are
 * line breaks, tabs, and the selectors of an emoji's form.
 */
const HIDDEN =
  /(?![\t\n\r]|(?<=\p{Extended_Pictographic})[\u{FE0E}\u{FE0F}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/gu;

/** Replaces hidden characters with their numbers, as `[U+202E]`. */
export function visibleText(text: string): string {
  return text.replace(
    HIDDEN,
    (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}
