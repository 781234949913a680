import { open } from "node:fs/promises";

/** The end of a text file, as whole lines, of which the newest is the last. */
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
    // The first one may lack its beginning, and after the last line break there is nothing.
    return lines.slice(from > 0 ? 1 : 0).filter((line) => line !== "");
  } finally {
    await handle.close();
  }
}
