const HIDDEN = "***";

/** Patterns of secrets in logs of nodes. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/giu, `$1${HIDDEN}@`],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/giu, `$1 ${HIDDEN}`],
  [
    /\b([\w-]*(?:password|passwd|passphrase|secret|token|mnemonic|seed phrase|api[-_ ]?key|private[-_ ]?key|auth(?:orization)?))(["']?\s*[:=]\s*)(?!(?:bearer|basic)\s)("[^"]*"|'[^']*'|\S+)/giu,
    `$1$2${HIDDEN}`,
  ],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/gu, HIDDEN],
  [/\benode:\/\/[0-9a-f]+/giu, `enode://${HIDDEN}`],
];

/**
 * Removes secrets from a text.
 * @param secrets Known ones, which are removed in upper and lower case
 */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) {
    const bare = secret.replace(/^0x/iu, "");
    // Very short ones would remove too much of the text.
    if (bare.length >= 6)
      redacted = redacted.replace(new RegExp(bare.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&"), "gi"), HIDDEN);
  }
  for (const [pattern, replacement] of PATTERNS) redacted = redacted.replace(pattern, replacement);
  return redacted;
}
