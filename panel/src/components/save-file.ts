/** Offers a text or bytes to the reader as a file. */
export function saveFile(content: string | Uint8Array<ArrayBuffer>, name: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // Delayed: the browser reads the object after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
