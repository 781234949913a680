import { open } from "node:fs/promises";

/** Reads the last whole lines of a text file. */
export async function lastLines(file: string, bytes: number): Promise<string[]> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - bytes);
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(size, bytes)),
      0,
      Math.min(size, bytes),
      from,
    );
    const lines = buffer.toString("utf8", 0, bytesRead).split(/\r?\n/u);
    // The first line may lack its beginning; the text after the last line break is empty.
    return lines.slice(from > 0 ? 1 : 0).filter((line) => line !== "");
  } finally {
    await handle.close();
  }
}
