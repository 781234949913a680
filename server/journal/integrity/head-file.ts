import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { SealbookError } from "../../errors.ts";
import { writeFileDurably } from "../../kit/durable-file.ts";
import { hex } from "../../kit/bytes.ts";
import { DIGEST_LENGTH, GENESIS, type JournalHead } from "./entry-chain.ts";

const Head = {
  sequence: z.int().nonnegative(),
  digest: z
    .hex()
    .length(2 * DIGEST_LENGTH)
    .transform((text): Uint8Array => Buffer.from(text, "hex")),
};
const Content = z.strictObject({
  ...Head,
  settled: z.strictObject({ ...Head, anchor: z.int().nonnegative() }).optional(),
});

/** An entry up to which every proof is confirmed. */
export interface SettledHead extends JournalHead {
  /** The highest id of an anchor with proofs up to there. */
  readonly anchor: number;
}

/** Before the first entry. */
export const NOTHING_SETTLED: SettledHead = { ...GENESIS, anchor: 0 };

/** What a relayer has seen of the journal. */
export interface SeenJournal extends JournalHead {
  /** Up to there everything was compared, and every proof confirmed; without it nothing is known to be. */
  readonly settled?: SettledHead | undefined;
}

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
  async read(): Promise<SeenJournal | undefined> {
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

  async write({ settled, ...newest }: SeenJournal): Promise<void> {
    const content = {
      ...textOf(newest),
      ...(settled === undefined ? {} : { settled: { ...textOf(settled), anchor: settled.anchor } }),
    };
    await writeFileDurably(this.#path, [Buffer.from(`${JSON.stringify(content)}\n`)]);
  }
}

function textOf({ sequence, digest }: JournalHead) {
  return { sequence, digest: hex(digest) };
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
