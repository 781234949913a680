// A strict ABI decoder. Common decoders follow any offset, accept any non-zero word as true and ignore unused bytes, so
// that many byte strings decode to the same values. This decoder accepts only the canonical encoding: heads, then the
// dynamic arguments in order without gaps, padded with zeros.
import { malformed } from "../errors.ts";
import { prefixedHex } from "../kit/bytes.ts";

const WORD = 32;

/** An argument of the ABI. */
interface AbiParameter {
  readonly name: string;
  readonly type: string;
}

/** An argument of the call data. */
export interface RawArgument extends AbiParameter {
  /** The head word: the value of a static argument or the offset of a dynamic one. */
  readonly head: bigint;
  /** The bytes of a dynamic argument or the head word of a static one. */
  readonly bytes: Uint8Array;
}

const STATIC: ReadonlySet<string> = new Set(["uint256", "bool"]);
const DYNAMIC: ReadonlySet<string> = new Set(["string", "bytes"]);

/**
 * Decodes arguments of the types `uint256`, `bool`, `string` and `bytes` from their canonical encoding.
 *
 * @param data The arguments without the selector
 * @throws SealbookError `malformed` with the argument's name as path, or `inputdata` for bytes after the last argument
 */
export function readArguments(parameters: readonly AbiParameter[], data: Uint8Array): RawArgument[] {
  // Reads all heads before the first tail, so that the error for truncated heads names a head.
  const heads = parameters.map(({ name }, index) => slice(data, index * WORD, WORD, name, "head word"));
  let tail = parameters.length * WORD;
  const read = parameters.map(({ name, type }, index): RawArgument => {
    const headWord = heads[index] ?? new Uint8Array();
    const head = toInteger(headWord);
    if (STATIC.has(type)) {
      if (type === "bool" && head > 1n) throw malformed(name, `a bool is 0 or 1, not ${head}`);
      return { name, type, head, bytes: headWord };
    }
    if (!DYNAMIC.has(type)) throw new TypeError(`${name}: no reader for the type ${type}`);
    checkOffset(name, head, tail, data.length);
    const bytes = readTail(data, tail, name);
    tail += WORD + padded(bytes.length);
    return { name, type, head, bytes };
  });
  if (data.length > tail) throw malformed("inputdata", `overlong: arguments end at ${tail} of ${data.length} bytes`);
  return read;
}

/**
 * Encodes arguments canonically: integers, booleans, texts and bytes. Common encoders pass bytes through hexadecimal
 * text several times, which takes ten times as long for a large row.
 * @throws RangeError for an integer that is no uint256
 */
export function encodeArguments(values: readonly (bigint | boolean | string | Uint8Array)[]): Buffer {
  const heads: Buffer[] = [];
  const tails: Buffer[] = [];
  let end = values.length * WORD;
  for (const value of values) {
    if (typeof value === "bigint" || typeof value === "boolean") {
      heads.push(wordOf(BigInt(value)));
      continue;
    }
    const bytes = Buffer.from(value);
    const tail = [wordOf(BigInt(bytes.length)), bytes, Buffer.alloc(padded(bytes.length) - bytes.length)];
    heads.push(wordOf(BigInt(end)));
    tails.push(...tail);
    end += WORD + padded(bytes.length);
  }
  return Buffer.concat([...heads, ...tails]);
}

function wordOf(value: bigint): Buffer {
  const digits = value.toString(16).padStart(2 * WORD, "0");
  if (value < 0n || digits.length > 2 * WORD) throw new RangeError(`${value} is no uint256`);
  return Buffer.from(digits, "hex");
}

function checkOffset(name: string, offset: bigint, expected: number, size: number): void {
  if (offset === BigInt(expected)) return;
  const problem = offset >= BigInt(size) ? `lies outside of the ${size} bytes of arguments` : "is not canonical";
  throw malformed(name, `offset ${offset} ${problem}: ${expected} expected`);
}

function readTail(data: Uint8Array, start: number, name: string): Uint8Array {
  const length = toInteger(slice(data, start, WORD, name, "length word"));
  const left = data.length - start - WORD;
  // Compares as bigint: an untrusted length never determines an allocation.
  if (length > BigInt(left)) throw malformed(name, `cut short: ${left} bytes left of a length of ${length}`);
  const bytes = slice(data, start + WORD, Number(length), name, "data");
  const padding = slice(data, start + WORD + bytes.length, padded(bytes.length) - bytes.length, name, "padding");
  if (padding.some((byte) => byte !== 0)) throw malformed(name, "padding that is not zero");
  return bytes;
}

function slice(data: Uint8Array, start: number, length: number, name: string, part: string): Uint8Array {
  if (start + length > data.length) throw malformed(name, `cut short: its ${part} is not whole`);
  return data.subarray(start, start + length);
}

function padded(length: number): number {
  return Math.ceil(length / WORD) * WORD;
}

function toInteger(word: Uint8Array): bigint {
  return BigInt(prefixedHex(word));
}
