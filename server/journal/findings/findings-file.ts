import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { SealbookError } from "../../errors.ts";
import { hex } from "../../kit/bytes.ts";
import { writeFileDurably } from "../../kit/durable-file.ts";
import type { Divergence } from "./open-divergences.ts";

const Hash = z
  .hex()
  .length(64)
  .transform((text): Uint8Array => Buffer.from(text, "hex"));
const Content = z.strictObject({
  /** End of the last complete check, Unix milliseconds; `null` before the first one. */
  checked_at: z.int().nonnegative().nullable(),
  /** The newest block whose anchors were compared; `null` before the first one. */
  block: z.strictObject({ number: z.int().nonnegative(), hash: Hash }).nullable(),
  divergences: z.array(z.strictObject({ subject: z.string(), message: z.string() })),
});

/** A block whose anchors were compared with the journal, and those of all before. */
export interface ComparedBlock {
  readonly number: number;
  readonly hash: Uint8Array;
}

/** What a relayer has found. */
export interface StoredFindings {
  /** End of the last complete check, Unix milliseconds. */
  readonly checkedAt: number | undefined;
  /** The newest block whose anchors were compared. */
  readonly block: ComparedBlock | undefined;
  readonly divergences: readonly Divergence[];
}

/** The divergences that a relayer has found, in a file of its own: who can write to the database cannot end one. */
export class FindingsFile {
  readonly #path: string;

  /** @param directory The data folder of the relayer */
  constructor(directory: string) {
    this.#path = join(directory, "journal.findings");
  }

  /** @throws SealbookError `config_invalid` when it has another content */
  async read(): Promise<StoredFindings> {
    const text = await readFile(this.#path, "utf8").catch(ifMissing);
    if (text === undefined) return { checkedAt: undefined, block: undefined, divergences: [] };
    try {
      const { checked_at: checkedAt, block, divergences } = Content.parse(JSON.parse(text));
      return { checkedAt: checkedAt ?? undefined, block: block ?? undefined, divergences };
    } catch (cause) {
      throw new SealbookError(
        "config_invalid",
        `${this.#path} does not have the divergences that were found. Remove the file: the server then compares ` +
          "everything anew",
        { cause },
      );
    }
  }

  async write({ checkedAt, block, divergences }: StoredFindings): Promise<void> {
    const content: z.input<typeof Content> = {
      checked_at: checkedAt ?? null,
      block: block === undefined ? null : { number: block.number, hash: hex(block.hash) },
      divergences: [...divergences],
    };
    await writeFileDurably(this.#path, [Buffer.from(`${JSON.stringify(content)}\n`)]);
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
