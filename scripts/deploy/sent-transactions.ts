import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The transactions of a deployment, written before they are sent. Ignition writes a hash after it: killed between the
 * two, it asks the user to find the transaction with a nonce.
 */
export class SentTransactions {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(nonce: number, hash: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await appendFile(this.#file, `${nonce} ${hash}\n`);
  }

  /** Returns the hashes of all transactions that were signed with a nonce, the newest first. */
  async withNonce(nonce: number): Promise<readonly string[]> {
    const text = await readFile(this.#file, "utf8").catch(() => "");
    const lines = text.split("\n").map((line) => line.split(" "));
    return lines.flatMap(([at, hash]) => (at === String(nonce) && hash !== undefined ? [hash] : [])).reverse();
  }

  get #file(): string {
    return join(this.#folder, "sent-transactions");
  }
}
