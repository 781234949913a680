// A strict ABI decoder. Contracts follow any offset and ignore padding and unused bytes, so that many byte strings
// decode to the same values. The canonical encoding is one of them: heads, then the dynamic arguments in order without
// gaps, padded with zeros. This decoder reports every deviation from it, and follows offsets as contracts do.
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
 * Receives a deviation from the canonical encoding that contracts accept.
 * @param path The argument's name; `inputdata` for bytes after the last argument
 */
export type OnDeviation = (path: string, problem: string) => void;

const refuse: OnDeviation = (path, problem) => {
  throw malformed(path, problem);
};

/**
 * Decodes arguments of the types `uint256`, `bool`, `string` and `bytes`.
 *
 * @param data The arguments without the selector
 * @param onDeviation Unless it is set, a deviation is an error
 * @throws SealbookError `malformed` with the argument's name as path, or `inputdata` for bytes after the last argument
 */
export function readArguments(
  parameters: readonly AbiParameter[],
  data: Uint8Array,
  onDeviation: OnDeviation = refuse,
): RawArgument[] {
  // Reads all heads before the first tail, so that the error for truncated heads names a head.
  const heads = parameters.map(({ name }, index) => slice(data, index * WORD, WORD, name, "head word"));
  let tail = parameters.length * WORD;
  let end = tail;
  const read = parameters.map(({ name, type }, index): RawArgument => {
    const headWord = heads[index] ?? new Uint8Array();
    const head = toInteger(headWord);
    if (STATIC.has(type)) {
      if (type === "bool" && head > 1n) throw malformed(name, `a bool is 0 or 1, not ${head}`);
      return { name, type, head, bytes: headWord };
    }
    if (!DYNAMIC.has(type)) throw new TypeError(`${name}: no reader for the type ${type}`);
    const start = checkOffset(name, head, tail, data.length, onDeviation);
    const bytes = readTail(data, start, name, onDeviation);
    tail += WORD + padded(bytes.length);
    end = Math.max(end, start + WORD + padded(bytes.length));
    return { name, type, head, bytes };
  });
  if (data.length > end) onDeviation("inputdata", `overlong: arguments end at ${end} of ${data.length} bytes`);
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

/** Returns the offset as a number. */
function checkOffset(name: string, offset: bigint, expected: number, size: number, onDeviation: OnDeviation): number {
  if (offset === BigInt(expected)) return expected;
  if (offset >= BigInt(size))
    throw malformed(name, `offset ${offset} lies outside of the ${size} bytes of arguments: ${expected} expected`);
  onDeviation(name, `offset ${offset} is not canonical: ${expected} expected`);
  return Number(offset);
}

function readTail(data: Uint8Array, start: number, name: string, onDeviation: OnDeviation): Uint8Array {
  const length = toInteger(slice(data, start, WORD, name, "length word"));
  const left = data.length - start - WORD;
  // Compares as bigint: an untrusted length never determines an allocation.
  if (length > BigInt(left)) throw malformed(name, `cut short: ${left} bytes left of a length of ${length}`);
  const bytes = slice(data, start + WORD, Number(length), name, "data");
  const end = start + WORD + bytes.length;
  const padding = data.subarray(end, end + padded(bytes.length) - bytes.length);
  if (bytes.length + padding.length < padded(bytes.length)) onDeviation(name, "cut short: its padding is not whole");
  if (padding.some((byte) => byte !== 0)) onDeviation(name, "padding that is not zero");
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
