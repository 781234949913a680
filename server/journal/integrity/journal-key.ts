import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { DialectAdapter, QueryExecutorProvider } from "kysely";
import { SealbookError } from "../../errors.ts";
import { equalBytes } from "../../kit/bytes.ts";

const SECRET_LENGTH = 32;
/** Bytes of a sequence number under the code. */
const NUMBER_LENGTH = 8;

/** A write to the journal: the entries from `first` to `last`. */
export interface AppendedRow {
  readonly first: number;
  readonly last: number;
  /** Number of proofs in the journal up to the last entry. */
  readonly proofs: number;
  /** The digest before the first entry. */
  readonly previous: Uint8Array;
  /** The digest up to the last entry. */
  readonly digest: Uint8Array;
  /** The texts of the entries, packed. */
  readonly body: Uint8Array;
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

  /** Computes the authentication code of a row: HMAC-SHA256 over its numbers, its digests and its body. */
  codeOf({ first, last, proofs, previous, digest, body }: AppendedRow): Uint8Array {
    const numbers = Buffer.alloc(3 * NUMBER_LENGTH);
    for (const [index, number] of [first, last, proofs].entries())
      numbers.writeBigUInt64BE(BigInt(number), index * NUMBER_LENGTH);
    const code = createHmac("sha256", this.#secret).update(numbers).update(previous).update(digest);
    return code.update(body).digest();
  }

  isCodeOf(code: Uint8Array, row: AppendedRow): boolean {
    return equalBytes(code, this.codeOf(row));
  }
}

/** Keys by the adapter of their database, which its transactions share; `undefined` for reading without the key. */
const KEYS = new WeakMap<DialectAdapter, JournalKey | undefined>();

/**
 * Has a database, and its transactions, append with a key and check what they read with it.
 * @param key `undefined`: rows are only read, and taken as they are
 */
export function useJournalKey(database: QueryExecutorProvider, key: JournalKey | undefined): void {
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

/**
 * Returns the key with which rows are checked; `undefined` when the database was opened to read without it.
 * @throws SealbookError `config_invalid` when neither is known
 */
export function keyToCheckWith(database: QueryExecutorProvider): JournalKey | undefined {
  return KEYS.has(database.getExecutor().adapter) ? KEYS.get(database.getExecutor().adapter) : journalKeyOf(database);
}
