/** The errors that a script printed: its standard error without the lines of its progress, which slow runs have. */
export function withoutProgress(err: string): string {
  return err.replaceAll(/^[a-z ]+: \d+ of \d+ [a-z]+, \d+ a second\n/gm, "");
}
