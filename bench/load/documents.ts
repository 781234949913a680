import { randomBytes, randomFillSync } from "node:crypto";

const HASH_BYTES = 32;
const HASHES = 16_384;

/** A document in the form that the API accepts. */
export interface Document {
  readonly document_id: string;
  readonly hash: string;
  readonly metadata: { readonly type: string; readonly timestamp: number; readonly source: string };
}

/**
 * Generates documents that were never sent before. Their hashes are random bytes, drawn in large blocks: hashing would
 * use the processors that the server needs and makes no difference to the server.
 */
export class Documents {
  readonly #prefix = `bench-${randomBytes(4).toString("hex")}`;
  readonly #metadata = { type: "invoice", timestamp: Math.floor(Date.now() / 1000), source: "bench" };
  readonly #rest = `","metadata":${JSON.stringify(this.#metadata)}}`;
  readonly #pool = Buffer.alloc(HASHES * HASH_BYTES);
  #next = HASHES;
  #count = 0;

  next(): Document {
    return { document_id: this.#id(), hash: this.#hash(), metadata: this.#metadata };
  }

  /** Returns the body of a single post. */
  readonly single = (): string => `{"document_id":"${this.#id()}","hash":"${this.#hash()}${this.#rest}`;

  /** Returns the body of a bulk post. */
  bulk(size: number): string {
    return `{"documents":[${Array.from({ length: size }, this.single).join(",")}]}`;
  }

  #id(): string {
    return `${this.#prefix}-${(this.#count += 1)}`;
  }

  #hash(): string {
    if (this.#next === HASHES) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    const start = this.#next * HASH_BYTES;
    this.#next += 1;
    return this.#pool.toString("hex", start, start + HASH_BYTES);
  }
}
