/** The largest attachment that is decompressed; a statement with a thousand bundles has less. */
const LARGEST = 32 * 1024 * 1024;
/** The dictionary of an attached file, up to its data. */
const ATTACHED = /\/Type\s*\/EmbeddedFile\b(?:(?!endobj)[^])*?\bstream\r?\n/g;

/**
 * Returns the files that are attached to a PDF, as far as they lie in it plainly or compressed with Flate. A reader of
 * PDF shows more; a statement of ours is written like this.
 */
export async function pdfAttachments(pdf: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>[]> {
  // One character for each byte, so that positions are those of the bytes.
  const text = new TextDecoder("latin1").decode(pdf);
  const attachments: Uint8Array<ArrayBuffer>[] = [];
  for (const { 0: dictionary, index } of text.matchAll(ATTACHED)) {
    const start = index + dictionary.length;
    const length = Number(
      /\/Length\s+(\d+)\b(?!\s+\d+\s+R)/.exec(dictionary)?.[1] ?? text.indexOf("endstream", start) - start,
    );
    if (!(length > 0) || start + length > pdf.length) continue;
    const data = pdf.subarray(start, start + length);
    const content = /\/Filter\s*\[?\s*\/FlateDecode\b/.test(dictionary) ? await inflated(data) : data;
    if (content !== undefined) attachments.push(content);
  }
  return attachments;
}

/** Decompresses data; `undefined` for data that are damaged or too large. */
async function inflated(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for await (const chunk of new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"))) {
      size += chunk.length;
      if (size > LARGEST) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
