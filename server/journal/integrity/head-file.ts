import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { SealbookError } from "../../errors.ts";
import { writeFileDurably } from "../../kit/durable-file.ts";
import { hex } from "../../kit/bytes.ts";
import { DIGEST_LENGTH, type JournalHead } from "./entry-chain.ts";

const Content = z.strictObject({
  sequence: z.int().nonnegative(),
  digest: z
    .hex()
    .length(2 * DIGEST_LENGTH)
    .transform((text): Uint8Array => Buffer.from(text, "hex")),
});

/** The newest entry that a relayer has seen, in a file of its own: who can write to the database cannot change it. */
export class HeadFile {
  readonly #path: string;

  /** @param directory The data folder of the relayer */
  constructor(directory: string) {
    this.#path = join(directory, "journal.head");
  }

  /**
   * @returns `undefined` before the first {@link write}
   * @throws SealbookError `config_invalid` when it has another content
   */
  async read(): Promise<JournalHead | undefined> {
    const text = await readFile(this.#path, "utf8").catch(ifMissing);
    if (text === undefined) return undefined;
    try {
      return Content.parse(JSON.parse(text));
    } catch (cause) {
      throw new SealbookError(
        "config_invalid",
        `${this.#path} does not have sequence and digest of the journal's newest entry. Restore the file from a ` +
          "backup of DATA_DIR; without it the server starts, but does not know what it has seen of the journal",
        { cause },
      );
    }
  }

  async write({ sequence, digest }: JournalHead): Promise<void> {
    await writeFileDurably(this.#path, [Buffer.from(`${JSON.stringify({ sequence, digest: hex(digest) })}\n`)]);
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
