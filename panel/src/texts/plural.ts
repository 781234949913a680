/**
 * The form of a word that goes with a number, by a language's rules: `few` and `many` are asked for where it has them.
 */
export function plural(
  tag: string,
  count: number,
  forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string },
): string {
  return forms[new Intl.PluralRules(tag).select(count)] ?? forms.other;
}
