/** Limits of what is read of one PDF: a statement has the bundles of its newest records. */
const MOST_ATTACHMENTS = 200;
const MOST_MARKS = 10_000;
const MOST_BYTES = 32 * 1024 * 1024;
/** The length of the description of an attachment. */
const DICTIONARY_BYTES = 2_048;

/**
 * Returns the files that are attached to a PDF, as far as they lie in it plainly or compressed with Flate, as those of
 * a statement do.
 */
export async function pdfAttachments(pdf: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>[]> {
  // One character for each byte, so that positions are those of the bytes.
  const text = new TextDecoder("latin1").decode(pdf);
  const attachments: Uint8Array<ArrayBuffer>[] = [];
  let left = MOST_BYTES;
  let at = 0;
  // Every one that is tried counts: those that are refused cost the most.
  for (let tried = 0, marks = 0; tried < MOST_ATTACHMENTS && marks < MOST_MARKS && left > 0; marks += 1) {
    const mark = text.indexOf("/EmbeddedFile", at);
    if (mark === -1) break;
    at = mark + "/EmbeddedFile".length;
    const rest = text.slice(at, at + DICTIONARY_BYTES);
    const begin = rest.indexOf("stream");
    // The names of the attachments have the same beginning, and no data.
    if (begin === -1 || rest.slice(0, begin).includes("endobj")) continue;
    const dictionary = rest.slice(0, begin);
    const start = at + begin + "stream".length + (rest.startsWith("\r\n", begin + "stream".length) ? 2 : 1);
    const length = Number(/\/Length (\d{1,9})(?!\d| \d)/.exec(dictionary)?.[1]);
    if (!(length > 0) || start + length > pdf.length) continue;
    at = start + length;
    tried += 1;
    const data = pdf.slice(start, at);
    const content = dictionary.includes("/FlateDecode") ? await inflated(data, left) : data;
    left -= content?.length ?? left / 4;
    if (content !== undefined) attachments.push(content);
  }
  return attachments;
}

/** Decompresses data; `undefined` for data that are damaged, or larger than `most`. */
async function inflated(data: Uint8Array<ArrayBuffer>, most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  for (let size = 0; ;) {
    // Data that are not Flate make the reader fail.
    const part = await reader.read().catch(() => undefined);
    if (part === undefined) return undefined;
    if (part.done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += part.value.length;
    if (size > most) return void (await reader.cancel());
    chunks.push(part.value);
  }
}
