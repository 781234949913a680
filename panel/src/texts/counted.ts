/** A number with its noun, in a language where the noun depends on the number. */
export function counted(language: string, forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>): (count: number) => string {
  const rules = new Intl.PluralRules(language);
  return (count) => `${count} ${forms[rules.select(count)] ?? forms.other}`;
}
