import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { DialectAdapter, QueryExecutorProvider } from "kysely";
import { SealbookError } from "../../errors.ts";
import { equalBytes } from "../../kit/bytes.ts";

const SECRET_LENGTH = 32;
/** Bytes of a sequence number under the code. */
const NUMBER_LENGTH = 8;

/** What was appended with one write: the entries from `first` to `last`, and the digest up to the last one. */
export interface AppendedRange {
  readonly first: number;
  readonly last: number;
  /** The digest before the first entry. */
  readonly previous: Uint8Array;
  readonly digest: Uint8Array;
}

/**
 * The secret with which relayers authenticate what they append. It is outside the database: who can write there, but
 * has not the key, appends nothing that is believed.
 */
export class JournalKey {
  readonly #secret: KeyObject;

  private constructor(secret: Uint8Array) {
    this.#secret = createSecretKey(secret);
  }

  static generate(): JournalKey {
    return new JournalKey(randomBytes(SECRET_LENGTH));
  }

  /** @returns `undefined` when the text is not 64 hex digits */
  static parse(text: string): JournalKey | undefined {
    const digits = text.trim();
    return /^[0-9a-f]{64}$/.test(digits) ? new JournalKey(Buffer.from(digits, "hex")) : undefined;
  }

  /** Returns the text for its file. */
  text(): string {
    return `${this.#secret.export().toString("hex")}\n`;
  }

  /** Computes the authentication code of a range: HMAC-SHA256 over its numbers and digests. */
  codeOf({ first, last, previous, digest }: AppendedRange): Uint8Array {
    const numbers = Buffer.alloc(2 * NUMBER_LENGTH);
    numbers.writeBigUInt64BE(BigInt(first));
    numbers.writeBigUInt64BE(BigInt(last), NUMBER_LENGTH);
    return createHmac("sha256", this.#secret).update(numbers).update(previous).update(digest).digest();
  }

  isCodeOf(code: Uint8Array, range: AppendedRange): boolean {
    return equalBytes(code, this.codeOf(range));
  }
}

/** Keys by the adapter of their database, which its transactions share. */
const KEYS = new WeakMap<DialectAdapter, JournalKey>();

/** Has a database, and its transactions, append with a key. */
export function useJournalKey(database: QueryExecutorProvider, key: JournalKey): void {
  KEYS.set(database.getExecutor().adapter, key);
}

/**
 * Returns the key that a database appends with.
 * @throws SealbookError `config_invalid` when it was opened without one
 */
export function journalKeyOf(database: QueryExecutorProvider): JournalKey {
  const key = KEYS.get(database.getExecutor().adapter);
  if (key === undefined) throw new SealbookError("config_invalid", "the journal was opened without its key");
  return key;
}
