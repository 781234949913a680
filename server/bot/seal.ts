import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { SealbookError } from "../errors.ts";
import { writeFileDurably } from "../kit/durable-file.ts";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals what the bot keeps in the database under a key that is not there: what people wrote, who they are, and the
 * signing keys of their accounts. Each piece is bound to its place, so that none can be put into another's.
 */
export class Seal {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /**
   * Reads the key from a file that only its owner can read; makes it when there is none.
   * @param isNeeded whether something was sealed already, so that a new key would be the wrong one
   * @throws SealbookError `config_invalid` when it is missing or no key
   */
  static async open(file: string, isNeeded: boolean): Promise<Seal> {
    const shown = `${basename(file)} in DATA_DIR`;
    if (!existsSync(file)) {
      if (isNeeded)
        throw new SealbookError(
          "config_invalid",
          `${shown} is missing, without which the bot cannot read what it knows: put it back from a backup`,
        );
      await writeFileDurably(file, [Buffer.from(`${randomBytes(KEY_BYTES).toString("hex")}\n`)]);
    }
    const text = (await readFile(file, "utf8")).trim();
    if (!/^[0-9a-f]{64}$/.test(text)) throw new SealbookError("config_invalid", `${shown} does not hold the bot's key`);
    return new Seal(Buffer.from(text, "hex"));
  }

  /** @param place What it is for and of whom */
  close(place: string, value: unknown): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
    return Buffer.concat([nonce, cipher.update(JSON.stringify(value), "utf8"), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws Error for what was not sealed here and for this place */
  open(place: string, sealed: Uint8Array): unknown {
    const decipher = createDecipheriv(ALGORITHM, this.#key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    const text = Buffer.concat([
      decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES)),
      decipher.final(),
    ]);
    return JSON.parse(text.toString("utf8"));
  }
}
