/** Quotes a text as one word of a shell command. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Encodes a text as a format of the shell's `printf` in ASCII, so that it can be copied from paper without loss.
 */
export function printfFormat(text: string): string {
  const escaped = Array.from(Buffer.from(text), (byte, index) => {
    const character = String.fromCharCode(byte);
    if (character === "%") return "%%";
    // `printf` would parse a leading hyphen as an option.
    const isPlain = byte > 0x20 && byte < 0x7f && !`'"\\`.includes(character) && !(index === 0 && character === "-");
    return isPlain || (character === " " && index > 0) ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `'${escaped.join("")}'`;
}
