/** Offers a text to the reader as a file. */
export function saveFile(text: string, name: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // Delayed: the browser reads the object after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
