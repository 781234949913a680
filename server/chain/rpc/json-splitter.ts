import { ResponseTooLargeError } from "./response-limit.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACE = 0x7d;
const CLOSING_BRACKET = 0x5d;

/**
 * Splits a stream of bytes into JSON objects and arrays, however the stream is cut into chunks. Reads brackets and
 * strings only; the parser finds all other faults.
 */
export class JsonSplitter {
  readonly #largest: number;
  /** Pieces of the incomplete message. */
  #pieces: Buffer[] = [];
  #size = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** @param largest Maximum bytes of a message */
  constructor(largest: number) {
    this.#largest = largest;
  }

  /**
   * Reads the next bytes.
   * @returns the messages that they complete
   * @throws when the bytes cannot be JSON objects or arrays, or a message is too large
   */
  push(chunk: Buffer): string[] {
    const messages: string[] = [];
    let start = 0;
    let at = 0;
    // In UTF-8 no byte of a longer character is below 0x80, so bytes can be compared.
    while (at < chunk.length) {
      if (this.#inString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const byte = chunk[at];
      if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
        if (this.#depth === 0) start = at;
        this.#depth += 1;
      } else if (this.#depth === 0) {
        if (byte === undefined || byte > SPACE) throw new Error("the node's message is not JSON");
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
        this.#depth -= 1;
        if (this.#depth === 0) messages.push(this.#complete(chunk.subarray(start, at + 1)));
      }
      at += 1;
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(start));
    return messages;
  }

  /** @returns the index after the string, or the end of the chunk */
  #skipString(chunk: Buffer, from: number): number {
    let at = this.#escaped ? from + 1 : from;
    for (;;) {
      // Most bytes of responses are in long strings; `indexOf` skips them faster than a loop.
      const quote = chunk.indexOf(QUOTE, at);
      const end = quote === -1 ? chunk.length : quote;
      let backslashes = 0;
      while (end - backslashes > at && chunk[end - backslashes - 1] === BACKSLASH) backslashes += 1;
      this.#escaped = backslashes % 2 === 1;
      if (quote === -1) return end;
      at = quote + 1;
      if (this.#escaped) continue;
      this.#inString = false;
      return at;
    }
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#largest)
      throw new ResponseTooLargeError(`the node's response has more than ${this.#largest} bytes`);
    this.#pieces.push(part);
  }

  #complete(last: Buffer): string {
    this.#keep(last);
    const message =
      this.#pieces.length === 1 ? last.toString("utf8") : Buffer.concat(this.#pieces, this.#size).toString("utf8");
    this.#pieces = [];
    this.#size = 0;
    return message;
  }
}
