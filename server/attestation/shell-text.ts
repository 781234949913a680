/** A text as one word of a shell command. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * A text as the format of the shell's `printf`, in ASCII whatever the text is: so that it can be typed from paper, and
 * no character of it is lost or mistaken on the way.
 */
export function printfFormat(text: string): string {
  const escaped = Array.from(Buffer.from(text), (byte, index) => {
    const character = String.fromCharCode(byte);
    if (character === "%") return "%%";
    // A leading hyphen would be taken for an option.
    const isPlain = byte > 0x20 && byte < 0x7f && !`'"\\`.includes(character) && !(index === 0 && character === "-");
    return isPlain || (character === " " && index > 0) ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `'${escaped.join("")}'`;
}
