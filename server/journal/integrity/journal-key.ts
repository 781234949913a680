import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { equalBytes } from "../../kit/bytes.ts";
import type { JournalMemory } from "./memory.ts";

const SECRET_LENGTH = 32;
/** Bytes of a sequence number under the code. */
const NUMBER_LENGTH = 8;

/** A row of the journal: the entries from `first` to `last`. */
export interface EntryRow {
  readonly first: number;
  readonly last: number;
  /** Number of proofs in the journal up to the last entry. */
  readonly proofs: number;
  /** The digest before the first entry. */
  readonly previous: Uint8Array;
  /** The digest up to the last entry. */
  readonly digest: Uint8Array;
  /** The texts of the entries, compressed. */
  readonly body: Uint8Array;
}

/**
 * The secret with which relayers authenticate what they append. It is outside the database: who can write there, but
 * has not the key, appends nothing that is believed.
 */
export class JournalKey {
  readonly #secret: KeyObject;
  /** What this process has seen of the journal; without it nothing is compared. */
  readonly memory: JournalMemory | undefined;

  private constructor(secret: KeyObject, memory?: JournalMemory) {
    this.#secret = secret;
    this.memory = memory;
  }

  static generate(): JournalKey {
    return new JournalKey(createSecretKey(randomBytes(SECRET_LENGTH)));
  }

  /** @returns `undefined` when the text is not 64 hex digits */
  static parse(text: string): JournalKey | undefined {
    const digits = text.trim();
    return /^[0-9a-f]{64}$/.test(digits) ? new JournalKey(createSecretKey(Buffer.from(digits, "hex"))) : undefined;
  }

  /** Returns the key of a process that remembers what it has seen of the journal. */
  remembering(memory: JournalMemory): JournalKey {
    return new JournalKey(this.#secret, memory);
  }

  /** Returns the text for its file. */
  text(): string {
    return `${this.#secret.export().toString("hex")}\n`;
  }

  /** Computes the authentication code of a row: HMAC-SHA256 over its numbers, its digests and its body. */
  codeOf({ first, last, proofs, previous, digest, body }: EntryRow): Uint8Array {
    const numbers = Buffer.alloc(3 * NUMBER_LENGTH);
    for (const [index, number] of [first, last, proofs].entries())
      numbers.writeBigInt64BE(BigInt(number), index * NUMBER_LENGTH);
    const code = createHmac("sha256", this.#secret).update(numbers).update(previous).update(digest);
    return code.update(body).digest();
  }

  /**
   * Computes the authentication code of a row that decides something outside of the entries.
   * @param of What the row is of: facts of one kind never have the code of another one
   */
  codeOfFacts(of: string, facts: readonly (string | number | null)[]): Uint8Array {
    return createHmac("sha256", this.#secret)
      .update(`${of}\n${JSON.stringify(facts)}`)
      .digest();
  }

  /** Computes the authentication code of the journal's name, which its replicas have. */
  codeOfName(name: string): Uint8Array {
    return createHmac("sha256", this.#secret).update(`name of the journal\n${name}`).digest();
  }

  /** Returns the key with which relayers prove calls to each other. */
  callKey(): KeyObject {
    return createSecretKey(createHmac("sha256", this.#secret).update("key of forwarded calls\n").digest());
  }

  isCodeOf(code: Uint8Array, row: EntryRow): boolean {
    return equalBytes(code, this.codeOf(row));
  }
}
