const REASONS: Readonly<Record<string, string>> = {
  EACCES: "may not be read (permission denied)",
  EPERM: "may not be read (permission denied)",
  ENOENT: "does not exist",
  ELOOP: "is a symbolic link that leads to itself",
  EISDIR: "is a folder",
};

/** Why something failed, for people. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return REASONS[code] ?? error.message;
}

/**
 * Text that others chose, fit to be printed: characters that would steer a terminal or hide from the eye become their
 * code points.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
