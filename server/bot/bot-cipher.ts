import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { SealbookError } from "../errors.ts";
import { decrypt, encrypt } from "../kit/aes-gcm.ts";
import { writeFileDurably } from "../kit/durable-file.ts";

const KEY_BYTES = 32;

/**
 * Encrypts the bot's data in the database: messages, users, and the signing keys of their accounts. The key is outside
 * of the database. Each ciphertext is bound to its context, so that it cannot be moved to another row.
 */
export class BotCipher {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /**
   * Reads the key from a file that only its owner can read. Creates the file if it does not exist.
   * @param isNeeded Whether encrypted data exist, which a new key could not decrypt
   * @throws SealbookError `config_invalid` if a needed file is missing or does not contain a key
   */
  static async load(file: string, isNeeded: boolean): Promise<BotCipher> {
    const shown = `${basename(file)} in DATA_DIR`;
    if (!existsSync(file)) {
      if (isNeeded)
        throw new SealbookError(
          "config_invalid",
          `${shown} is missing, and the bot cannot decrypt its data without it; restore it from a backup`,
        );
      await writeFileDurably(file, [Buffer.from(`${randomBytes(KEY_BYTES).toString("hex")}\n`)]);
    }
    const text = (await readFile(file, "utf8")).trim();
    if (!/^[0-9a-f]{64}$/.test(text))
      throw new SealbookError("config_invalid", `${shown} does not contain the bot's key`);
    return new BotCipher(Buffer.from(text, "hex"));
  }

  /** @param context Purpose and owner of the data; required for decryption */
  encrypt(context: string, value: unknown): Uint8Array {
    return encrypt(this.#key, Buffer.from(JSON.stringify(value)), context);
  }

  /** @throws Error if the data were not encrypted with this key and context */
  decrypt(context: string, encrypted: Uint8Array): unknown {
    return JSON.parse(Buffer.from(decrypt(this.#key, encrypted, context)).toString("utf8"));
  }
}
