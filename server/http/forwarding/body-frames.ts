import { createHmac, type KeyObject } from "node:crypto";
import { Transform, type TransformCallback } from "node:stream";
import { SealbookError } from "../../errors.ts";
import { equalBytes } from "../../kit/bytes.ts";

/** In place of the digest of a body that is sent in frames, because it is not known as a whole. */
export const FRAMES = "frames";

const LENGTH_BYTES = 4;
const CODE_BYTES = 32;
const HEAD_BYTES = LENGTH_BYTES + CODE_BYTES;
/** Longer than any chunk that a socket reads. */
const MOST_BYTES = 1024 * 1024;

/** Returns the code of a frame: none can be left out, repeated, moved, or used in another call. */
function codeOf(key: KeyObject, nonce: string, index: number, data: Uint8Array): Buffer {
  return createHmac("sha256", key).update(`frame ${nonce} ${index} `).update(data).digest();
}

/** Writes a body in frames: length (4 bytes, big-endian), code, data. An empty frame ends it. */
export class SealedFrames extends Transform {
  readonly #key: KeyObject;
  readonly #nonce: string;
  #index = 0;

  /** @param nonce That of the call */
  constructor(key: KeyObject, nonce: string) {
    super();
    this.#key = key;
    this.#nonce = nonce;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (let first = 0; first < chunk.length; first += MOST_BYTES)
      this.#push(chunk.subarray(first, first + MOST_BYTES));
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#push(Buffer.of());
    done();
  }

  #push(data: Buffer): void {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(data.length);
    this.push(Buffer.concat([length, codeOf(this.#key, this.#nonce, this.#index++, data), data]));
  }
}

/** Reads what {@link SealedFrames} writes; fails with SealbookError `forbidden` at a frame that it has not written. */
export class OpenedFrames extends Transform {
  readonly #key: KeyObject;
  readonly #nonce: string;
  #index = 0;
  #rest: Buffer = Buffer.of();
  #isComplete = false;

  /** @param nonce That of the call */
  constructor(key: KeyObject, nonce: string) {
    super();
    this.#key = key;
    this.#nonce = nonce;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= HEAD_BYTES) {
      const length = this.#rest.readUInt32BE();
      if (length > MOST_BYTES || this.#isComplete) return done(forbidden());
      if (this.#rest.length < HEAD_BYTES + length) break;
      const code = this.#rest.subarray(LENGTH_BYTES, HEAD_BYTES);
      const data = this.#rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
      if (!equalBytes(code, codeOf(this.#key, this.#nonce, this.#index++, data))) return done(forbidden());
      if (length === 0) this.#isComplete = true;
      else this.push(data);
      this.#rest = this.#rest.subarray(HEAD_BYTES + length);
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    done(this.#isComplete && this.#rest.length === 0 ? null : forbidden());
  }
}

function forbidden(): SealbookError {
  return new SealbookError("forbidden", "the body is not the one that another relayer forwards");
}
