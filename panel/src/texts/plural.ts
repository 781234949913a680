/** Selects the plural form of a word for a number by the rules of a language. */
export function plural(
  tag: string,
  count: number,
  forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string },
): string {
  return forms[new Intl.PluralRules(tag).select(count)] ?? forms.other;
}
