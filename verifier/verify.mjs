#!/usr/bin/env node
// Checks a proof bundle of Sealbook: the document existed unchanged when a block of a chain was produced. Checks an
// attestation of such documents with its attached bundles.
//
//   node verify.mjs BUNDLE DOCUMENT [--trust-key ID] [--validators FILE] [--rpc URL] [--contract ADDRESS] [--json]
//   node verify.mjs ATTESTATION [DOCUMENT] [the same options]
//
// Read this file from top to bottom. It requires only a JavaScript engine (Node 18 or newer, or a browser): no package,
// no server, no chain. SHA-256 and the issuer's ECDSA are those of the engine (Web Cryptography); all other code is in
// this file. docs/proof-format.md and docs/attestation.md describe the checks.
//
//   Part 1   bytes and text
//   Part 2   keccak-256, the hash function of the chain
//   Part 3   RLP, the encoding of the chain
//   Part 4   Merkle-Patricia tries, which commit transactions and receipts to a block's header
//   Part 5   secp256k1, the signatures of the chain's validators
//   Part 6   the Merkle tree of a batch, which commits a record to the anchored root
//   Part 7   the format of a bundle
//   Part 8   the checks in order, each with its conclusion and its assumptions
//   Part 9   attestations
//   Part 10  the command line

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: bytes and text
// ---------------------------------------------------------------------------------------------------------------------

/**
 * The codes of failed checks, each with its outcome: something in the bundle is not true (`not_verified`), or what was
 * given does not suffice to say (`undetermined`). The list is closed: only a new version of the format changes it.
 */
export const CODES = {
  format_invalid: "not_verified",
  signature_invalid: "not_verified",
  key_not_trusted: "not_verified",
  document_differs: "not_verified",
  record_invalid: "not_verified",
  batch_invalid: "not_verified",
  header_invalid: "not_verified",
  transaction_invalid: "not_verified",
  receipt_invalid: "not_verified",
  contract_differs: "not_verified",
  validators_differ: "not_verified",
  seals_invalid: "not_verified",
  seals_too_few: "not_verified",
  seals_absent: "undetermined",
  node_differs: "not_verified",
  node_other_chain: "undetermined",
  node_lacks_block: "undetermined",
  node_unavailable: "undetermined",
  nothing_trusted: "undetermined",
  // Of attestations only.
  statement_differs: "not_verified",
  bundle_differs: "not_verified",
  bundle_missing: "undetermined",
};

/** A failed check, with the reason as message, and the code unless it is the usual one of its step. */
export class VerificationError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

function fail(message, code) {
  throw new VerificationError(message, code);
}

const text = new TextEncoder();

/** Converts bytes to lower-case hexadecimal digits. */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Converts hexadecimal digits, with or without 0x, to bytes. */
export function fromHex(hex) {
  const digits = hex.startsWith("0x") ? hex.slice(2) : hex;
  if (!/^(?:[0-9a-f]{2})*$/.test(digits)) fail(`"${hex.slice(0, 20)}" is not hexadecimal`);
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function toBase64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

function isEqual(a, b) {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Converts big-endian bytes to a number. */
function toNumber(bytes) {
  return bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
}

/** Returns the engine's Web Cryptography; before Node 20 it is not a global. */
async function subtle() {
  const engine = globalThis.crypto ?? (await import("node:crypto")).webcrypto;
  return engine.subtle;
}

export async function sha256(bytes) {
  return new Uint8Array(await (await subtle()).digest("SHA-256", bytes));
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2: keccak-256
//
// The variant of Ethereum: SHA-3 with the padding from before the standard. The state is 25 words of 64 bits, word
// x + 5y at column x and row y. JavaScript is fast only with 32 bits, so the lower and upper halves of the words are in
// separate arrays, and each operation applies to both.
// ---------------------------------------------------------------------------------------------------------------------

const ROUND_CONSTANTS = [
  0x0000000000000001n,
  0x0000000000008082n,
  0x800000000000808an,
  0x8000000080008000n,
  0x000000000000808bn,
  0x0000000080000001n,
  0x8000000080008081n,
  0x8000000000008009n,
  0x000000000000008an,
  0x0000000000000088n,
  0x0000000080008009n,
  0x000000008000000an,
  0x000000008000808bn,
  0x800000000000008bn,
  0x8000000000008089n,
  0x8000000000008003n,
  0x8000000000008002n,
  0x8000000000000080n,
  0x000000000000800an,
  0x800000008000000an,
  0x8000000080008081n,
  0x8000000000008080n,
  0x0000000080000001n,
  0x8000000080008008n,
];

/** Left rotation of each word in bits, in the order of the words. */
const ROTATIONS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];

/** Rotates a half of a word to the left: `same` is this half, `other` supplies the incoming bits. */
function rotate(same, other, by) {
  if (by >= 32) return rotate(other, same, by - 32);
  return by === 0 ? same : (same << by) | (other >>> (32 - by));
}

function permute(lower, upper) {
  for (const constant of ROUND_CONSTANTS) {
    // Theta: XORs each word with the parity of two columns.
    const parityOf = (half) =>
      [0, 1, 2, 3, 4].map((x) => half[x] ^ half[x + 5] ^ half[x + 10] ^ half[x + 15] ^ half[x + 20]);
    const [low, high] = [parityOf(lower), parityOf(upper)];
    // Rho and pi: rotates each word and moves it from (x, y) to (y, 2x + 3y).
    const movedLow = new Int32Array(25);
    const movedHigh = new Int32Array(25);
    for (let index = 0; index < 25; index += 1) {
      const x = index % 5;
      const y = (index - x) / 5;
      const before = (x + 4) % 5;
      const after = (x + 1) % 5;
      const wordLow = lower[index] ^ low[before] ^ rotate(low[after], high[after], 1);
      const wordHigh = upper[index] ^ high[before] ^ rotate(high[after], low[after], 1);
      const target = y + 5 * ((2 * x + 3 * y) % 5);
      movedLow[target] = rotate(wordLow, wordHigh, ROTATIONS[index]);
      movedHigh[target] = rotate(wordHigh, wordLow, ROTATIONS[index]);
    }
    // Chi: combines each word with the next two of its row.
    for (let index = 0; index < 25; index += 1) {
      const x = index % 5;
      const next = index - x + ((x + 1) % 5);
      const afterNext = index - x + ((x + 2) % 5);
      lower[index] = movedLow[index] ^ (~movedLow[next] & movedLow[afterNext]);
      upper[index] = movedHigh[index] ^ (~movedHigh[next] & movedHigh[afterNext]);
    }
    // Iota.
    lower[0] ^= Number(constant & 0xffffffffn);
    upper[0] ^= Number(constant >> 32n);
  }
}

export function keccak256(bytes) {
  const rate = 136;
  const padded = new Uint8Array((Math.floor(bytes.length / rate) + 1) * rate);
  padded.set(bytes);
  padded[bytes.length] ^= 0x01;
  padded[padded.length - 1] ^= 0x80;
  const input = new DataView(padded.buffer);
  const lower = new Int32Array(25);
  const upper = new Int32Array(25);
  for (let block = 0; block < padded.length; block += rate) {
    for (let index = 0; index < rate / 8; index += 1) {
      lower[index] ^= input.getInt32(block + 8 * index, true);
      upper[index] ^= input.getInt32(block + 8 * index + 4, true);
    }
    permute(lower, upper);
  }
  const hash = new DataView(new ArrayBuffer(32));
  for (let index = 0; index < 4; index += 1) {
    hash.setInt32(8 * index, lower[index], true);
    hash.setInt32(8 * index + 4, upper[index], true);
  }
  return new Uint8Array(hash.buffer);
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 3: RLP
//
// An item is bytes or a list of items. A byte below 0x80 encodes itself. Otherwise the first byte encodes the type
// (0x80 for bytes, 0xc0 for a list) and the length: directly up to 55, else as the number of length bytes that follow.
// Every item has exactly one valid encoding: any other fails.
// ---------------------------------------------------------------------------------------------------------------------

/** Decodes exactly one item, to Uint8Array or to an array of items. */
export function decodeRlp(bytes) {
  const [item, end] = decodeItem(bytes, 0);
  if (end !== bytes.length) fail("RLP is followed by more bytes");
  return item;
}

function decodeItem(bytes, start) {
  const first = bytes[start] ?? fail("RLP is truncated");
  if (first < 0x80) return [bytes.subarray(start, start + 1), start + 1];
  const base = first < 0xc0 ? 0x80 : 0xc0;
  let length = first - base;
  let from = start + 1;
  if (length > 55) {
    const digits = bytes.subarray(from, from + length - 55);
    from += length - 55;
    length = Number(toNumber(digits));
    if (digits[0] === 0 || length <= 55) fail("RLP has a length with a non-canonical encoding");
  }
  const end = from + length;
  if (end > bytes.length) fail("RLP is truncated");
  if (base === 0x80) {
    if (length === 1 && bytes[from] < 0x80) fail("RLP has a byte with a non-canonical encoding");
    return [bytes.subarray(from, end), end];
  }
  const list = [];
  for (let next = from; next < end;) {
    const [item, after] = decodeItem(bytes.subarray(0, end), next);
    list.push(item);
    next = after;
  }
  return [list, end];
}

export function encodeRlp(item) {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && item[0] < 0x80) return item;
    return concat(rlpHead(item.length, 0x80), item);
  }
  const content = concat(...item.map(encodeRlp));
  return concat(rlpHead(content.length, 0xc0), content);
}

function rlpHead(length, base) {
  if (length <= 55) return Uint8Array.of(base + length);
  const digits = numberBytes(length);
  return concat(Uint8Array.of(base + 55 + digits.length), digits);
}

/** Converts a number to big-endian bytes without leading zeros; none for 0. */
function numberBytes(number) {
  const hex = number === 0 ? "" : number.toString(16);
  return fromHex(hex.length % 2 === 0 ? hex : `0${hex}`);
}

function listOf(item, name, length = item.length) {
  if (item instanceof Uint8Array || item.length !== length) fail(`${name} is not a list of ${length}`);
  return item;
}

function bytesOf(item, name, length = item.length) {
  if (!(item instanceof Uint8Array) || item.length !== length) fail(`${name} is not ${length} bytes`);
  return item;
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 4: Merkle-Patricia tries
//
// A block has one trie of its transactions and one of their receipts. The keys are the RLP of the indexes, read as
// nibbles. A node is a branch (16 children, one for each next nibble, and a value) or a pair of a piece of the key and
// a child or value. A child is referenced by the keccak-256 of its RLP: a changed node changes the root, which is in
// the block's header. Nodes under 32 bytes are embedded in their parent.
// ---------------------------------------------------------------------------------------------------------------------

/** Returns the value of a key in a trie; `proof` contains the nodes of its path, from the root down. */
export function provenValue(root, key, proof) {
  let rest = nibbles(key);
  let expected = root;
  for (const [index, encoded] of proof.entries()) {
    if (!isEqual(keccak256(encoded), expected))
      fail(`node ${index} of the proof does not have the hash that references it`);
    let child = decodeRlp(encoded);
    // Descends through this node and the nodes embedded in it.
    while (!(child instanceof Uint8Array)) {
      const node = child;
      if (node.length === 17) {
        if (rest.length === 0) return lastValue(node[16], index, proof);
        child = node[rest[0]];
        rest = rest.slice(1);
        continue;
      }
      const [flags, ...piece] = nibbles(bytesOf(listOf(node, "a node of the proof", 2)[0], "a piece of a key"));
      // The first nibble: 2 for a leaf, 1 for an odd number of nibbles; an even number is padded with a 0.
      const isLeaf = flags >= 2;
      if (!(flags <= 3) || (flags % 2 === 0 && piece.shift() !== 0)) fail("a node of the proof has invalid flags");
      if (!isEqual(piece, rest.slice(0, piece.length))) fail("the proof is for another key");
      rest = rest.slice(piece.length);
      if (isLeaf) {
        if (rest.length > 0) fail("the proof is for another key");
        return lastValue(node[1], index, proof);
      }
      child = node[1];
    }
    if (child.length !== 32) fail("the proof ends without a value");
    expected = child;
  }
  return fail("the proof is incomplete");
}

function lastValue(value, index, proof) {
  if (index !== proof.length - 1) fail("the proof has unused nodes");
  if (bytesOf(value, "a value").length === 0) fail("the proof ends without a value");
  return value;
}

function nibbles(bytes) {
  return Array.from(bytes).flatMap((byte) => [byte >> 4, byte & 15]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 5: secp256k1
//
// Recovers the signer from a signature and the signed digest, on the curve y² = x³ + 7 over the field of P with the
// generator G of order N. A point is [x, y]; `undefined` is the point at infinity.
// ---------------------------------------------------------------------------------------------------------------------

const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
];

function modulo(number, modulus) {
  const rest = number % modulus;
  return rest < 0n ? rest + modulus : rest;
}

function power(base, exponent, modulus) {
  let result = 1n;
  for (let square = modulo(base, modulus); exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** Returns 1 / number, by the extended Euclidean algorithm. */
function inverse(number, modulus) {
  let [low, high, x, y] = [modulo(number, modulus), modulus, 1n, 0n];
  while (low > 1n) {
    const quotient = high / low;
    [low, high] = [high - quotient * low, low];
    [x, y] = [y - quotient * x, x];
  }
  return modulo(x, modulus);
}

function addPoints(a, b) {
  if (a === undefined) return b;
  if (b === undefined) return a;
  const [ax, ay] = a;
  const [bx, by] = b;
  if (ax === bx && modulo(ay + by, P) === 0n) return undefined;
  const slope = ax === bx ? 3n * ax * ax * inverse(2n * ay, P) : (by - ay) * inverse(bx - ax, P);
  const x = modulo(slope * slope - ax - bx, P);
  return [x, modulo(slope * (ax - x) - ay, P)];
}

/** Returns i times A plus j times B: both in one pass, from the highest bit. */
function addMultiples(i, a, j, b) {
  const both = addPoints(a, b);
  let sum;
  for (let bit = 255n; bit >= 0n; bit -= 1n) {
    sum = addPoints(sum, sum);
    const inI = (i >> bit) & 1n;
    const inJ = (j >> bit) & 1n;
    if (inI || inJ) sum = addPoints(sum, inI && inJ ? both : inI ? a : b);
  }
  return sum;
}

/** Recovers the address of a digest's signer. A signature is r and s (32 bytes each) and a byte: 1 if R's y is odd. */
export function recoverAddress(digest, signature) {
  bytesOf(signature, "a signature", 65);
  const r = toNumber(signature.subarray(0, 32));
  const s = toNumber(signature.subarray(32, 64));
  const odd = signature[64];
  if (r === 0n || r >= N || s === 0n || s >= N || odd > 1) fail("a signature has values out of range");
  const square = modulo(r * r * r + 7n, P);
  const root = power(square, (P + 1n) / 4n, P);
  if ((root * root) % P !== square) fail("a signature is not on the curve");
  const R = [r, root % 2n === BigInt(odd) ? root : P - root];
  const byR = inverse(r, N);
  const key = addMultiples(modulo(-toNumber(digest) * byR, N), G, (s * byR) % N, R);
  if (key === undefined) fail("a signature recovers to no key");
  const keyBytes = fromHex(key.map((coordinate) => coordinate.toString(16).padStart(64, "0")).join(""));
  return `0x${toHex(keccak256(keyBytes).subarray(12))}`;
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 6: the Merkle tree of a batch
//
// Up to 1000 recorded hashes are anchored under one root. A leaf is the recorded hash, hashed twice, so that no inner
// node (hashed once, from 64 bytes) is a valid leaf. A pair is hashed with the smaller node first; a node without a
// sibling moves up unchanged.
// ---------------------------------------------------------------------------------------------------------------------

export function leafOf(recordHash) {
  return keccak256(keccak256(recordHash));
}

/** Returns the root computed from a leaf and its audit path. */
export function rootOf(leaf, path) {
  return path.reduce(
    (node, sibling) => keccak256(concat(...(toHex(node) < toHex(sibling) ? [node, sibling] : [sibling, node]))),
    leaf,
  );
}

/** Returns the length of the audit path of a leaf index in a tree of a size. */
export function pathLength(index, size) {
  let length = 0;
  for (; size > 1; size = Math.ceil(size / 2), index = Math.floor(index / 2)) {
    if ((index ^ 1) < size) length += 1;
  }
  return length;
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 7: the format of a bundle
//
// Canonical JSON (RFC 8785): names sorted, no white space, numbers and text as JSON.stringify writes them. Any other
// encoding fails, so that all readers get the same content.
// ---------------------------------------------------------------------------------------------------------------------

export function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(",")}}`;
}

const integer = (value, path) => (Number.isSafeInteger(value) && value >= 0) || fail(`${path} is not a whole number`);
const string = (value, path) => typeof value === "string" || fail(`${path} is not text`);
const exactly =
  (...choices) =>
  (value, path) =>
    choices.includes(value) || fail(`${path} is not ${choices.join(" or ")}`);
const digits = (bytes) => (value, path) =>
  (typeof value === "string" && /^[0-9a-f]*$/.test(value) && value.length === 2 * bytes) ||
  fail(`${path} is not ${2 * bytes} hexadecimal digits in lower case`);
/** Bytes after 0x, of any number or of the given one. */
const data = (bytes) => (value, path) =>
  (typeof value === "string" &&
    /^0x(?:[0-9a-f]{2})+$/.test(value) &&
    (bytes === undefined || value.length === 2 + 2 * bytes)) ||
  fail(`${path} is not 0x and ${bytes === undefined ? "" : `${2 * bytes} `}hexadecimal digits in lower case`);
const list = (check) => (value, path) => {
  if (!Array.isArray(value)) fail(`${path} is not a list`);
  value.forEach((item, index) => check(item, `${path}.${index}`));
};
const nullOr = (check) => (value, path) => value === null || check(value, path);
/** An object with exactly these members. */
const object = (members) => (value, path) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(`${path} is not an object`);
  for (const name of Object.keys(value))
    if (!Object.hasOwn(members, name)) fail(`${path} has an unknown member ${JSON.stringify(name)}`);
  for (const [name, check] of Object.entries(members)) {
    if (!Object.hasOwn(value, name)) fail(`${path} lacks ${name}`);
    check(value[name], `${path}.${name}`);
  }
};
/** Checks the two members with a meaning; the others are informative. */
const metadata = (value, path) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(`${path} is not an object`);
  integer(value.timestamp, `${path}.timestamp`);
  if (Object.hasOwn(value, "type")) string(value.type, `${path}.type`);
};

/** A public key on P-256 as JSON Web Key. */
const publicKey = object({ kty: exactly("EC"), crv: exactly("P-256"), x: string, y: string });

const provenBytes = object({ proof: list(data()), raw: data() });

const bundleFormat = object({
  format: exactly("sealbook-bundle/1"),
  record: object({ document_id: string, hash: digits(32), metadata, record_hash: digits(32) }),
  merkle: nullOr(object({ index: integer, leaf: data(32), path: list(data(32)), root: data(32), size: integer })),
  anchor: object({
    chain_id: integer,
    contract: data(20),
    index: integer,
    receipt: provenBytes,
    transaction: provenBytes,
  }),
  block: object({ hash: data(32), header: data() }),
  consensus: object({ protocol: exactly("ibft2", "qbft", "none"), validators: list(data(20)) }),
  signature: object({ algorithm: exactly("ES256"), key_id: string, public_key: publicKey, value: digits(64) }),
});

/**
 * Returns the text of a file: UTF-8, without a byte order mark and the white space around it. Editors, mail and version
 * control add these, and they change nothing.
 */
export function fileText(content) {
  if (typeof content === "string") {
    let end = content.length;
    while (end > 0 && " \t\r\n".includes(content[end - 1])) end -= 1;
    return content.slice(0, end).replace(/^\uFEFF?[ \t\r\n]*/, "");
  }
  const [first, second] = content;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (hasMark || (content.length > 1 && (first === 0) !== (second === 0)))
    fail("the file is UTF-16 text: convert it to UTF-8");
  try {
    return fileText(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content));
  } catch {
    fail("the file is not UTF-8 text");
  }
}

/** Parses the text of a bundle. */
export function parseBundle(json) {
  let bundle;
  try {
    bundle = JSON.parse(json);
  } catch {
    fail("the bundle is not JSON");
  }
  if (bundle?.format !== "sealbook-bundle/1") fail("the format is not sealbook-bundle/1");
  if (canonicalJson(bundle) !== json) fail("the bundle is not canonical JSON: it was changed");
  bundleFormat(bundle, "bundle");
  return bundle;
}

/** Returns the signed bytes: everything except the signature's value. */
export function signedBytes(bundle) {
  const { value: _, ...signature } = bundle.signature;
  return text.encode(canonicalJson({ ...bundle, signature }));
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 8: the checks
//
// Each check takes the bundle and the options. It throws, or returns its conclusion and its assumptions.
// ---------------------------------------------------------------------------------------------------------------------

// Indexes of fields in the RLP of a block's header.
const TRANSACTIONS_ROOT = 4;
const RECEIPTS_ROOT = 5;
const NUMBER = 8;
const TIME = 11;
const EXTRA_DATA = 12;

/** Half the order of P-256. Of the forms of a signature, (r, s) and (r, n - s), the issuer makes the smaller one. */
const HALF_ORDER = 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n;

/**
 * Checks a signature of the issuer: ES256, ECDSA on P-256 with SHA-256. The id of a key is its JWK thumbprint
 * (RFC 7638).
 */
async function checkIssuer({ key_id, public_key }, signature, signed, { what, trustedKey }) {
  const id = toBase64url(await sha256(text.encode(canonicalJson(public_key))));
  if (id !== key_id) fail("key_id is not the id of public_key");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const engine = await subtle();
  const key = await engine
    .importKey("jwk", public_key, algorithm, false, ["verify"])
    .catch(() => fail("the key is not a point on P-256"));
  if (!(await engine.verify(algorithm, key, signature, signed)))
    fail(`the signature does not match the ${what}: the ${what} was changed`);
  if (toNumber(signature.subarray(32)) > HALF_ORDER)
    fail("the signature has its other form, which the issuer does not make");
  if (trustedKey !== undefined && trustedKey !== id)
    fail(`the ${what} is signed with the key ${id}, not with the trusted key`, "key_not_trusted");
  return trustedKey === undefined
    ? `the key ${id} is the issuer's, which this step does not check: compare it with the published key`
    : "the trusted key is the issuer's, and only the issuer has the private key";
}

/** Checks the issuer's signature. */
async function checkSignature(bundle, { trustedKey }) {
  const { value, ...key } = bundle.signature;
  return {
    assumes: await checkIssuer(key, fromHex(value), signedBytes(bundle), { what: "bundle", trustedKey }),
    proves: `the bundle is unchanged since the holder of key ${key.key_id} signed it`,
  };
}

/** Checks the document. */
function checkDocument(bundle, { documentHash }) {
  if (bundle.record.hash !== documentHash)
    fail(`the document's SHA-256 is ${documentHash}, the bundle is for ${bundle.record.hash}`);
  return {
    proves: "the bundle is for exactly this document",
    assumes: "two documents with the same SHA-256 cannot be found",
  };
}

/** Checks the recorded hash: SHA-256 over the concatenated text of document id, timestamp, type and document hash. */
async function checkRecord(bundle) {
  const {
    document_id,
    hash,
    metadata: { timestamp, type = "" },
    record_hash,
  } = bundle.record;
  const recorded = toHex(await sha256(text.encode(`${document_id}${timestamp}${type}${hash}`)));
  if (recorded !== record_hash)
    fail("the recorded hash is not that of the document's id, timestamp, type and hash: one of them was changed");
  return {
    proves: "the recorded hash is computed from this document's hash, id, timestamp and type",
    assumes:
      "the issuer stated the boundary between id and timestamp (the recorded text has no separator) and all other " +
      "metadata correctly",
  };
}

/** Checks the audit path from the recorded hash to the anchored root. */
function checkBatch(bundle) {
  const {
    merkle,
    record: { record_hash },
  } = bundle;
  if (merkle === null) return { proves: "the recorded hash was anchored alone", assumes: "nothing" };
  const leaf = leafOf(fromHex(record_hash));
  if (`0x${toHex(leaf)}` !== merkle.leaf) fail("the leaf is not that of the recorded hash");
  if (merkle.size < 1 || merkle.size > 1000 || merkle.index >= merkle.size) fail("the leaf index is outside the batch");
  if (merkle.path.length !== pathLength(merkle.index, merkle.size))
    fail("the audit path does not have the length for its leaf index");
  if (`0x${toHex(rootOf(leaf, merkle.path.map(fromHex)))}` !== merkle.root)
    fail("the audit path does not lead from the recorded hash to the root");
  return {
    proves: `the recorded hash is one of the ${merkle.size} under the root`,
    assumes: "two inputs with the same keccak-256 cannot be found; the issuer stated the leaf index correctly",
  };
}

/** Checks the block's header, its hash and the extra data of the protocol. */
function checkHeader(bundle) {
  const {
    block: { header, hash },
    consensus: { protocol, validators },
  } = bundle;
  const fields = listOf(decodeRlp(fromHex(header)), "the header");
  // Forks add fields at the end; the hash covers all of them.
  if (fields.length < 15) fail("the header has too few fields");
  const covered = protocol === "none" ? fields : withExtraData(fields, extraDataForHash(protocol, fields));
  if (`0x${toHex(keccak256(encodeRlp(covered)))}` !== hash) fail("the header does not have the block's hash");
  const named = protocol === "none" ? [] : extraDataOf(fields)[1].map((validator) => `0x${toHex(validator)}`);
  if (!isEqual(named, validators)) fail("the validators are not those of the header");
  return {
    proves:
      `the header is that of block ${blockNumber(fields)} with the hash ${hash}, ` +
      `and the time ${blockTime(fields)}`,
    assumes: "the chain has that block, which this step does not check: commit seals or a node prove it",
  };
}

function headerFields(bundle) {
  return decodeRlp(fromHex(bundle.block.header));
}

function blockNumber(fields) {
  return toNumber(fields[NUMBER]).toString();
}

function blockTime(fields) {
  const seconds = Number(toNumber(fields[TIME]));
  return seconds < 2 ** 40
    ? `${new Date(1000 * seconds).toISOString().slice(0, 19).replace("T", " ")} UTC`
    : `${seconds} s after 1970`;
}

function withExtraData(fields, extraData) {
  return fields.map((field, index) => (index === EXTRA_DATA ? encodeRlp(extraData) : field));
}

/** Returns the extra data of IBFT 2.0 and QBFT: 32 arbitrary bytes, the validators, a vote, the round, the seals. */
function extraDataOf(fields) {
  const extraData = listOf(decodeRlp(bytesOf(fields[EXTRA_DATA], "the extra data")), "the extra data", 5);
  listOf(extraData[1], "the list of validators").forEach((validator) => bytesOf(validator, "a validator", 20));
  bytesOf(extraData[3], "the round");
  listOf(extraData[4], "the list of seals").forEach((seal) => bytesOf(seal, "a seal", 65));
  return extraData;
}

/** The block's hash covers neither round nor seals: IBFT 2.0 omits them, QBFT has a round of 0 and no seals. */
function extraDataForHash(protocol, fields) {
  const [vanity, validators, vote] = extraDataOf(fields);
  return protocol === "ibft2" ? [vanity, validators, vote] : [vanity, validators, vote, new Uint8Array(), []];
}

/** The digest of the seals covers the round: IBFT 2.0 omits the seals, QBFT has an empty list. */
function extraDataForSeals(protocol, fields) {
  const [vanity, validators, vote, round] = extraDataOf(fields);
  return protocol === "ibft2" ? [vanity, validators, vote, round] : [vanity, validators, vote, round, []];
}

/** Returns the anchored hash and its size: the recorded hash, or the root of its batch. */
function anchoredHash({ merkle, record }) {
  return merkle === null
    ? { hash: fromHex(record.record_hash), size: 0 }
    : { hash: fromHex(merkle.root), size: merkle.size };
}

function word(number) {
  return fromHex(number.toString(16).padStart(64, "0"));
}

function selector(signature) {
  return keccak256(text.encode(signature)).subarray(0, 4);
}

/** Checks the transaction that anchored the hash. */
function checkTransaction(bundle) {
  const { chain_id, contract, index, transaction } = bundle.anchor;
  const raw = fromHex(transaction.raw);
  const proven = provenValue(
    headerFields(bundle)[TRANSACTIONS_ROOT],
    encodeRlp(numberBytes(index)),
    transaction.proof.map(fromHex),
  );
  if (!isEqual(proven, raw)) fail("the block has another transaction at this index");
  const { chainId, to, input } = transactionFields(raw);
  if (chainId !== BigInt(chain_id)) fail(`the transaction is for chain ${chainId}, not for chain ${chain_id}`);
  if (`0x${toHex(to)}` !== contract) fail("the transaction does not call the contract");
  const { hash, size } = anchoredHash(bundle);
  const call =
    size === 0
      ? concat(selector("anchor(bytes32)"), hash)
      : concat(selector("anchorBatch(bytes32,uint32)"), hash, word(size));
  if (!isEqual(input, call)) fail("the transaction does not anchor this hash");
  return {
    proves:
      `transaction 0x${toHex(keccak256(raw))} is in that block, is signed for chain ${chain_id} ` +
      `and passes the hash to the contract ${contract}`,
    assumes: "nothing",
  };
}

/** Returns the checked fields of a transaction of type 0 (without a type byte) to 4. */
function transactionFields(raw) {
  if (raw[0] >= 0xc0) {
    const fields = listOf(decodeRlp(raw), "the transaction", 9);
    // v is 27 or 28 without a chain id, else 2 × chain id + 35 or 36.
    const v = toNumber(bytesOf(fields[6], "v"));
    if (v < 35n) fail("the transaction has no chain id");
    return { chainId: (v - 35n) / 2n, to: bytesOf(fields[3], "to"), input: bytesOf(fields[5], "the input") };
  }
  const fields = listOf(decodeRlp(raw.subarray(1)), "the transaction");
  const to = raw[0] === 1 ? 4 : 5;
  if (raw[0] < 1 || raw[0] > 4 || fields.length < 11) fail("the transaction has an unknown type");
  return {
    chainId: toNumber(bytesOf(fields[0], "the chain id")),
    to: bytesOf(fields[to], "to"),
    input: bytesOf(fields[to + 2], "the input"),
  };
}

/** Checks the receipt: the transaction succeeded and the contract emitted the event. */
function checkReceipt(bundle) {
  const { contract, index, receipt } = bundle.anchor;
  const raw = fromHex(receipt.raw);
  const proven = provenValue(
    headerFields(bundle)[RECEIPTS_ROOT],
    encodeRlp(numberBytes(index)),
    receipt.proof.map(fromHex),
  );
  if (!isEqual(proven, raw)) fail("the block has another receipt at this index");
  const [status, , , logs] = listOf(decodeRlp(raw[0] >= 0xc0 ? raw : raw.subarray(1)), "the receipt", 4);
  if (!isEqual(bytesOf(status, "the status"), [1])) fail("the transaction failed");
  const { hash, size } = anchoredHash(bundle);
  const event = keccak256(text.encode("Anchored(bytes32,uint32)"));
  const fields = listOf(logs, "the logs").map((log) => listOf(log, "a log", 3));
  const emitted = fields.some(([address, topics, logged]) => {
    return (
      `0x${toHex(address)}` === contract &&
      topics.length === 2 &&
      isEqual(topics[0], event) &&
      isEqual(topics[1], hash) &&
      isEqual(logged, word(size))
    );
  });
  if (!emitted) fail("the contract emitted no Anchored event for this hash");
  return {
    proves: "the transaction succeeded, and the contract emitted the event of the first anchor of the hash",
    assumes: "nothing: the hash is in the block, independently of the contract's code",
  };
}

/** Checks that the contract is the one the verifier expects. */
function checkContract(contract, expected) {
  if (contract.toLowerCase() !== expected.toLowerCase()) fail(`the contract is ${contract}, not ${expected}`);
  return {
    proves: `the hash was passed to the contract ${contract}`,
    assumes: "that address has the ProofAnchor contract on the chain",
  };
}

/** Checks the commit seals of the validators. */
function checkSeals(bundle, { validators }) {
  const { protocol } = bundle.consensus;
  if (protocol === "none") fail("blocks of this chain have no commit seals", "seals_absent");
  const fields = headerFields(bundle);
  const trusted = new Set(validators.map((address) => address.toLowerCase()));
  const named = new Set(bundle.consensus.validators);
  if (trusted.size === 0) fail("the list of validators is empty", "validators_differ");
  if (named.size !== trusted.size || ![...named].every((address) => trusted.has(address))) {
    fail("the block's validators are not those of the given list", "validators_differ");
  }
  const digest = keccak256(encodeRlp(withExtraData(fields, extraDataForSeals(protocol, fields))));
  const signers = new Set();
  for (const seal of extraDataOf(fields)[4]) {
    const validator = recoverAddress(digest, seal);
    if (!trusted.has(validator)) fail("a commit seal is not by a validator of the given list, or is for another block");
    if (signers.has(validator)) fail("a validator has two commit seals");
    signers.add(validator);
  }
  const quorum = Math.ceil((2 * trusted.size) / 3);
  if (signers.size < quorum)
    fail(`${signers.size} of ${trusted.size} validators signed the block, the quorum is ${quorum}`, "seals_too_few");
  return {
    proves: `${signers.size} of ${trusted.size} validators signed this block (quorum ${quorum})`,
    assumes:
      "the given list has the chain's validators at that block, " +
      "and fewer than a quorum of them colluded or lost their keys",
  };
}

/** Checks the block against a node of the chain. */
async function checkNode(bundle, { node }) {
  const {
    anchor: { chain_id },
    block: { hash },
  } = bundle;
  const number = toNumber(headerFields(bundle)[NUMBER]);
  const given = await node("eth_chainId", []);
  if (!/^(0x[0-9a-f]+|[0-9]+)$/i.test(String(given))) fail("the node returned no chain id");
  const chainId = BigInt(given);
  if (chainId !== BigInt(chain_id))
    fail(`the node is on chain ${chainId}, the bundle is for chain ${chain_id}`, "node_other_chain");
  const block = await node("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]);
  if (block === null) fail(`the node does not have block ${number}`, "node_lacks_block");
  if (typeof block?.hash !== "string") fail(`the node returned no block ${number}`);
  if (block.hash.toLowerCase() !== hash)
    fail(`the node has the hash ${block.hash} for block ${number}`, "node_differs");
  return {
    proves: "the node's chain has this block, whose hash covers everything above",
    assumes: "the node is honest and on the expected chain: run your own node, or query several",
  };
}

/** Requires a trust anchor; without validators and node, the issuer's key. */
function checkTrust(_bundle, { trustedKey }) {
  if (trustedKey === undefined) {
    fail(
      "the bundle is consistent, but nothing in it is trusted yet: give a trusted key, validators or a node " +
        "(on the command line: --trust-key, --validators, --rpc)",
    );
  }
  return {
    proves: "the issuer of the trusted key stated everything above",
    assumes:
      "the issuer's statements about the chain are true: " +
      "only commit seals or a node prove them independently of the issuer",
  };
}

/**
 * Checks a bundle against a document.
 *
 * `documentHash` is the document's SHA-256 in lower-case hexadecimal digits. `options` can have `trustedKey` (the id
 * of the issuer's key), `contract` (the expected address of ProofAnchor), `validators` (a list of addresses) and `node`
 * (makes a JSON-RPC call); each adds a check.
 * `onStep` is called after each check. The first failed check ends the verification.
 */
export async function verifyBundle(content, documentHash, options = {}, onStep = () => {}) {
  const level = options.validators !== undefined ? "validators" : options.node !== undefined ? "node" : "signature";
  let bundle;
  const check = (step, onBundle) => [step, () => onBundle(bundle, { ...options, documentHash })];
  const checks = [
    [
      "format",
      () => {
        bundle = parseBundle(fileText(content));
        return { proves: "the bundle is complete and canonical", assumes: "nothing" };
      },
    ],
    check("signature", checkSignature),
    check("document", checkDocument),
    check("record", checkRecord),
    check("batch", checkBatch),
    check("header", checkHeader),
    check("transaction", checkTransaction),
    check("receipt", checkReceipt),
    ...(options.contract === undefined
      ? []
      : [check("contract", ({ anchor }) => checkContract(anchor.contract, options.contract))]),
    ...(options.validators === undefined ? [] : [check("seals", checkSeals)]),
    ...(options.node === undefined ? [] : [check("node", checkNode)]),
    ...(level === "signature" ? [check("trust", checkTrust)] : []),
  ];
  const result = { ...(await runChecks(checks, onStep)), level };
  if (!result.ok) return result;
  const fields = headerFields(bundle);
  const block = {
    number: blockNumber(fields),
    time: blockTime(fields),
    timestamp: Number(toNumber(fields[TIME])),
    chainId: bundle.anchor.chain_id,
  };
  return { ...result, documentId: bundle.record.document_id, block };
}

/** The steps, each with its title, and the code of its failure unless the check gives another one. */
const STEPS = {
  format: ["Format", "format_invalid"],
  signature: ["Issuer's signature", "signature_invalid"],
  statement: ["statement.json", "statement_differs"],
  document: ["Document", "document_differs"],
  record: ["Recorded hash", "record_invalid"],
  batch: ["Batch", "batch_invalid"],
  header: ["Block header", "header_invalid"],
  transaction: ["Transaction", "transaction_invalid"],
  receipt: ["Receipt", "receipt_invalid"],
  contract: ["Contract", "contract_differs"],
  seals: ["Commit seals", "seals_invalid"],
  node: ["Node", "node_unavailable"],
  bundle: ["Portable proof", "bundle_differs"],
  records: ["Other records", "record_invalid"],
  trust: ["Trust", "nothing_trusted"],
};

/**
 * Runs checks up to the first one that fails. Each is a step, a function, and what comes after the step's title.
 * @returns the steps, the outcome, and the code of the failed check
 */
async function runChecks(checks, onStep, steps = []) {
  let last;
  for (const [step, check, subject] of checks) {
    last = await outcomeOf(step, check, subject);
    steps.push(last);
    onStep(last);
    if (!last.ok) break;
  }
  return last.ok
    ? { ok: true, outcome: "verified", steps }
    : { ok: false, outcome: CODES[last.code], code: last.code, steps };
}

async function outcomeOf(step, check, subject) {
  const [name, usualCode] = STEPS[step];
  const title = subject === undefined ? name : `${name} ${subject}`;
  try {
    return { step, title, ok: true, ...(await check()) };
  } catch (error) {
    const isReason = error instanceof VerificationError;
    const reason = isReason ? error.message : `unreadable: ${error?.message ?? error}`;
    return { step, title, ok: false, code: (isReason && error.code) || usualCode, reason };
  }
}

/** Parses a list of addresses: JSON, or one per line. */
export function parseValidators(list) {
  const addresses = list.trim().startsWith("[") ? JSON.parse(list) : list.split(/[\s,]+/).filter((item) => item !== "");
  for (const address of addresses) {
    if (typeof address !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(address))
      fail(`"${String(address).slice(0, 50)}" is not the address of a validator`);
  }
  return addresses;
}

/** Summarises a passed verification in one line. */
export function conclusion({ level, documentId, block }) {
  const by = {
    validators: "the commit seals of the chain's validators",
    node: "the queried node",
    signature: "the issuer's signature",
  }[level];
  const document = printable(JSON.stringify(documentId));
  const produced = `block ${block.number} of chain ${block.chainId} was produced, at ${block.time}`;
  return `The document ${document} existed as it is now when ${produced}; by ${by}.`;
}

/** Escapes the characters of untrusted text that terminals and browsers do not print. */
export function printable(untrusted) {
  return untrusted.replace(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}|\u2800/gu,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 9: attestations
//
// An attestation is a signed statement about records: a compact JWS (RFC 7515), which is header, payload and signature
// in base64url, separated by dots. The signature covers the payload, the payload has the SHA-256 of each attached
// bundle, and each bundle leads to its block.
// ---------------------------------------------------------------------------------------------------------------------

/** Three texts in base64url. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns whether a text is a compact JWS; bundles are JSON. */
export function isAttestation(content) {
  const textual = typeof content === "string" ? content : new TextDecoder().decode(content);
  return COMPACT_JWS.test(fileText(textual));
}

/** Converts base64url to bytes. `atob` ignores bits after the last byte: another character there is a change, too. */
function fromBase64url(encoded) {
  const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const rest = binary.length % 3;
  if (rest > 0 && toBase64url(bytes.subarray(-rest)) !== encoded.slice(-rest - 1))
    fail("the base64url is not canonical");
  return bytes;
}

function jsonIn(bytes) {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** Checks the members of a record that the checks read; the others are for readers. */
const attestedRecord = (value, path) => {
  if (typeof value !== "object" || value === null) fail(`${path} is not an object`);
  string(value.document_id, `${path}.document_id`);
  digits(32)(value.hash, `${path}.hash`);
  metadata(value.metadata, `${path}.metadata`);
  digits(32)(value.record_hash, `${path}.record_hash`);
  nullOr(object({ index: integer, leaf: data(32), path: list(data(32)), root: data(32) }))(
    value.merkle,
    `${path}.merkle`,
  );
  object({ timestamp: integer, block_number: integer, size: integer })(value.first_anchor, `${path}.first_anchor`);
  nullOr(string)(value.bundle, `${path}.bundle`);
  // Statements from before contracts could be exchanged name one contract for all records.
  if (value.contract !== undefined) string(value.contract, `${path}.contract`);
};

/** Checks the members of a statement that the checks read. */
const statementFormat = ({ issuer, issued_at, chain, attachments, records = [] }) => {
  integer(issued_at, "issued_at");
  string(issuer?.name, "issuer.name");
  string(issuer?.key_id, "issuer.key_id");
  publicKey(issuer?.public_key, "issuer.public_key");
  integer(chain?.chain_id, "chain.chain_id");
  string(chain?.contract, "chain.contract");
  list(object({ file: string, sha256: digits(32) }))(attachments, "attachments");
  list(attestedRecord)(records, "records");
};

/** Parses an attestation. */
function parseAttestation(jws) {
  // What follows the signature, and white space in it, would be a change that no signature covers.
  if (!COMPACT_JWS.test(jws)) fail("the file is not a compact JWS");
  const [header, payload, signature] = jws.split(".");
  const { alg, kid, typ, ...others } = jsonIn(fromBase64url(header));
  if (alg !== "ES256" || typ !== "sealbook-attestation+jws" || Object.keys(others).length > 0)
    fail("the header is not that of an attestation with ES256");
  const bytes = fromBase64url(payload);
  const statement = jsonIn(bytes);
  if (statement?.format !== "sealbook-attestation/1") fail("the format is not sealbook-attestation/1");
  if (!isEqual(text.encode(canonicalJson(statement)), bytes)) fail("the statement is not canonical JSON");
  statementFormat(statement);
  return { kid, statement, signed: text.encode(`${header}.${payload}`), signature: fromBase64url(signature) };
}

/** Checks the signature over the statement. */
async function checkStatementSignature({ kid, statement, signed, signature }, { trustedKey }) {
  const { issuer } = statement;
  if (kid !== issuer.key_id) fail("kid is not the id of the issuer's key");
  return {
    assumes: await checkIssuer(issuer, signature, signed, { what: "statement", trustedKey }),
    proves: `the statement and the attached files are unchanged since the holder of key ${kid} signed the statement`,
  };
}

/** The payload of the attestation as a file for readers. */
const STATEMENT_FILE = "statement.json";

/** Checks that the statement that readers see is the one that was signed. */
function checkStatementFile({ statement }, copy) {
  if (fileText(copy) !== canonicalJson(statement))
    fail("the file is not the statement that was signed: it was changed, or is of another attestation");
  return { proves: "the file is the statement that was signed", assumes: "nothing" };
}

/** Checks an attached bundle: it is unchanged and valid, and proves the values of the record. */
async function checkAttachedBundle({ statement }, record, options, readAttachment) {
  const { issuer, chain, attachments } = statement;
  const named = attachments.find(({ file }) => file === record.bundle);
  if (named === undefined) fail("the statement does not have the SHA-256 of the file");
  const content = await readAttachment(record.bundle);
  if (content === undefined)
    fail("the file is missing: extract all attached files into the folder of the attestation", "bundle_missing");
  const json = fileText(content);
  // Version control can have changed the end of its line.
  const forms = await Promise.all([content, text.encode(json), text.encode(`${json}\n`)].map(sha256));
  if (!forms.some((digest) => toHex(digest) === named.sha256))
    fail("the file was changed after the statement was signed");
  const { ok, code, steps } = await verifyBundle(json, record.hash, { ...options, trustedKey: issuer.key_id });
  const last = steps[steps.length - 1];
  if (!ok) fail(`${last.title}: ${last.reason}`, code);
  const bundle = parseBundle(json);
  const fields = headerFields(bundle);
  const { size, ...merkle } = bundle.merkle ?? { size: 0 };
  const proven = {
    ...bundle.record,
    merkle: bundle.merkle && merkle,
    first_anchor: { timestamp: Number(toNumber(fields[TIME])), block_number: Number(toNumber(fields[NUMBER])), size },
    chain_id: bundle.anchor.chain_id,
    contract: bundle.anchor.contract,
  };
  // Records of before and after an exchange of the contracts are in different ones.
  const contract = (record.contract ?? chain.contract).toLowerCase();
  const stated = { ...record, chain_id: chain.chain_id, contract };
  for (const [name, value] of Object.entries(proven)) {
    if (canonicalJson(value) !== canonicalJson(stated[name])) fail(`the statement has another ${name} than the bundle`);
  }
  return {
    proves:
      `the record of the document with the SHA-256 ${record.hash} is in block ${blockNumber(fields)} of chain ` +
      `${chain.chain_id}, produced at ${blockTime(fields)}`,
    assumes:
      options.validators !== undefined
        ? "the list has the chain's validators at that block"
        : options.node !== undefined
          ? "the node is honest and on the expected chain"
          : "the issuer's statement that the chain has this block is true: commit seals or a node prove it",
  };
}

/** Checks the records without an attached bundle as far as the statement goes. */
async function checkOtherRecords(records) {
  for (const record of records) {
    await checkRecord({ record });
    checkBatch({ record, merkle: record.merkle && { ...record.merkle, size: record.first_anchor.size } });
  }
  return {
    proves: `the recorded hashes of ${records.length} more records are computed correctly and under their roots`,
    assumes: "the issuer's statements about their blocks are true: no bundles of them are attached",
  };
}

/** Checks that a document is the content of a record: of one that is proven, or that a trusted issuer states. */
function checkAttestedDocument(records, documentHash, { trustedKey }) {
  const stated = records.findIndex(({ hash }) => hash === documentHash);
  if (stated === -1) fail(`the document's SHA-256 is ${documentHash}, which no record of the statement has`);
  const proven = records.findIndex(({ hash, bundle }) => hash === documentHash && bundle !== null);
  if (proven === -1 && trustedKey === undefined) {
    fail(
      `the document is the content of record ${stated + 1}, which has no portable proof: only the statement, by an ` +
        "unknown key, has this record; give a trusted key (on the command line: --trust-key)",
      "nothing_trusted",
    );
  }
  const record = (proven === -1 ? stated : proven) + 1;
  return {
    record,
    proves: `the document is the content of record ${record} of the statement`,
    assumes:
      proven === -1
        ? "the issuer's statement of this record is true: it has no portable proof"
        : "two documents with the same SHA-256 cannot be found",
  };
}

/** Requires a trust anchor. Validators and nodes prove blocks, so they need a bundle. */
function checkAttestationTrust(records, { trustedKey, validators, node }) {
  const proven = records.filter(({ bundle }) => bundle !== null).length;
  const provesBlocks = (validators !== undefined || node !== undefined) && proven > 0;
  if (trustedKey === undefined && !provesBlocks) {
    fail(
      "the attestation is consistent, but nothing in it is trusted yet: give a trusted key, or validators or a node " +
        "for the attached bundles (on the command line: --trust-key, --validators, --rpc)",
    );
  }
  return trustedKey === undefined
    ? {
        proves: `the records with a portable proof (${proven} of ${records.length}), independently of the issuer`,
        assumes:
          "nothing that is listed above is more than a claim of an unknown key: the issuer's name, the time of the " +
          "signature, the claims in sentences and the records without a portable proof",
      }
    : {
        proves: "the issuer of the trusted key stated everything in the attestation",
        assumes: "the issuer's statements that no other step proves are true",
      };
}

/**
 * Checks an attestation and its attached bundles.
 *
 * `content` is the file: its bytes, or its text. `readAttachment` returns the bytes of an attached file, or
 * `undefined`. `options` can have `documentHash` (the SHA-256 of a document that must be in the statement),
 * `trustedKey` (the id of the issuer's key), `contract`, `validators` and `node`. `onStep` is called after each check.
 * The first failed check ends the verification.
 */
export async function verifyAttestation(content, readAttachment, { documentHash, ...options } = {}, onStep = () => {}) {
  let attestation;
  const steps = [];
  const format = () => {
    attestation = parseAttestation(fileText(content));
    return { proves: "the attestation is complete and canonical", assumes: "nothing" };
  };
  const formatted = await runChecks([["format", format]], onStep, steps);
  if (!formatted.ok) return formatted;
  const { kid, statement } = attestation;
  const { issuer, issued_at: issuedAt, records = [] } = statement;
  const copy = await readAttachment(STATEMENT_FILE);
  const attached = records.filter(({ bundle }) => bundle !== null);
  const others = records.filter(({ bundle }) => bundle === null);
  const checks = [
    ["signature", () => checkStatementSignature(attestation, options)],
    ...(copy === undefined ? [] : [["statement", () => checkStatementFile(attestation, copy)]]),
    ...(options.contract === undefined
      ? []
      : [["contract", () => checkContract(statement.chain.contract, options.contract)]]),
    ...attached.map((record) => [
      "bundle",
      () => checkAttachedBundle(attestation, record, options, readAttachment),
      record.bundle,
    ]),
    ...(others.length === 0 ? [] : [["records", () => checkOtherRecords(others)]]),
    ...(documentHash === undefined ? [] : [["document", () => checkAttestedDocument(records, documentHash, options)]]),
    ["trust", () => checkAttestationTrust(records, options)],
  ];
  const result = await runChecks(checks, onStep, steps);
  if (!result.ok) return result;
  const record = steps.find(({ step }) => step === "document")?.record;
  const counts = { proofs: attached.length, records: records.length };
  const isTrusted = options.trustedKey !== undefined;
  return { ...result, keyId: kid, isTrusted, issuer: issuer.name, issuedAt, ...counts, record };
}

/** Summarises a passed verification of an attestation in one line. An unknown key's name and time are only claims. */
export function attestationConclusion({ keyId, isTrusted, issuer, issuedAt, proofs, records, record }) {
  const time = `${new Date(1000 * issuedAt).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const name = printable(JSON.stringify(issuer));
  const proven = `${proofs} of its ${records} listed records ${isTrusted ? "have a portable proof" : "are proven"}.`;
  return [
    isTrusted
      ? `The attestation ${keyId} of ${name} was signed at ${time}.`
      : `An unknown key, ${keyId}, signed the attestation; it claims to be ${name} and to have signed at ${time}.`,
    ...(records === 0 ? [] : [proven]),
    ...(record === undefined ? [] : [`The document is the content of record ${record}.`]),
  ].join(" ");
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 10: the command line
// ---------------------------------------------------------------------------------------------------------------------

const USAGE = `usage: node verify.mjs BUNDLE DOCUMENT [OPTIONS]
       node verify.mjs ATTESTATION [DOCUMENT] [OPTIONS]

  ATTESTATION        attestation.jws, in a folder with its attached files
  --trust-key ID     the id of the issuer's key, 43 characters
  --validators FILE  addresses of the chain's validators at that block: a JSON list, or one per line
  --contract ADDRESS the ProofAnchor contract that must have anchored the hash
  --rpc URL          JSON-RPC address of a node of the chain, http or https; nothing else uses the network
  --json             print one JSON object: outcome, code, time, what was trusted, and each step
  --quiet            print nothing, unless with --json

Exit code: 0 verified, 1 not verified, 3 undetermined: what was given does not suffice to say; 2 wrong usage.`;

class UsageError extends Error {}

async function main(args) {
  if (args.includes("--help") || args.includes("-h")) return console.log(USAGE);
  const { readFile } = await import("node:fs/promises");
  const { files, values } = parseArguments(args);
  const [proofFile, documentFile] = files;
  const proof = await readFile(proofFile);
  const isSigned = isAttestation(proof);
  if (!isSigned && documentFile === undefined) throw new UsageError("BUNDLE and DOCUMENT are required");
  const options = {};
  const key = values.get("--trust-key");
  if (key !== undefined && !/^[\w-]{43}$/.test(key))
    throw new UsageError("--trust-key is not the 43 characters of a key's id");
  if (key !== undefined) options.trustedKey = key;
  const contract = values.get("--contract");
  if (contract !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(contract))
    throw new UsageError("--contract is not an address: 0x and 40 hexadecimal digits");
  if (contract !== undefined) options.contract = contract;
  if (values.has("--validators"))
    options.validators = parseValidators(fileText(await readFile(values.get("--validators"))));
  if (values.has("--rpc") && !/^https?:\/\/./.test(values.get("--rpc")))
    throw new UsageError("--rpc is not an http or https address");
  if (values.has("--rpc")) options.node = nodeAt(values.get("--rpc"));
  const documentHash = documentFile === undefined ? undefined : await fileHash(documentFile);
  const isText = !values.has("--json") && !values.has("--quiet");
  const onStep = isText ? printStep : () => {};
  const result = isSigned
    ? await verifyAttestation(proof, await attachmentsOf(proofFile), { ...options, documentHash }, onStep)
    : await verifyBundle(proof, documentHash, options, onStep);
  const conclude = isSigned ? attestationConclusion : conclusion;
  if (isText) console.log(`\n${HEADLINES[result.outcome]}${result.ok ? ` ${conclude(result)}` : ""}`);
  else if (values.has("--json")) console.log(JSON.stringify(reportOf(result, options), null, 2));
  process.exitCode = EXIT_CODES[result.outcome];
}

const HEADLINES = {
  verified: "VERIFIED.",
  not_verified: "NOT VERIFIED.",
  undetermined: "UNDETERMINED: what was given does not suffice to say.",
};
/** Exit codes of the outcomes; 2 is wrong usage. */
export const EXIT_CODES = { verified: 0, not_verified: 1, undetermined: 3 };

/** Describes a result for programs: names as in the files, and `null` for what there is not. */
function reportOf(result, { trustedKey, validators, node }) {
  const { outcome, code = null, steps, documentId = null, block, keyId } = result;
  const attestation = {
    key_id: keyId,
    issuer: result.issuer,
    issued_at: result.issuedAt,
    records: result.records,
    proofs: result.proofs,
    record: result.record ?? null,
  };
  return {
    format: "sealbook-verdict/1",
    outcome,
    code,
    document_id: documentId,
    block: block === undefined ? null : blockReport(block),
    attestation: keyId === undefined ? null : attestation,
    trusted: trustReport({ trustedKey, validators, node }),
    steps: steps.map(({ record: _, ...step }) => step),
  };
}

/** Describes the block of a result: its time is the proven one, in Unix seconds. */
export function blockReport({ number, timestamp, chainId }) {
  return { number: Number(number), timestamp, chain_id: chainId };
}

/** Describes what a verification trusted. */
export function trustReport({ trustedKey, validators, node }) {
  return { key_id: trustedKey ?? null, validators: validators ?? null, node: node !== undefined };
}

function printStep(step) {
  console.log(`${step.ok ? "passed" : "FAILED"}  ${printable(step.title)}`);
  if (step.ok)
    console.log(`          proves:  ${printable(step.proves)}\n          assumes: ${printable(step.assumes)}`);
  else console.log(`          ${printable(step.reason)}`);
}

/** Returns a reader of the files in an attestation's folder. */
async function attachmentsOf(path) {
  const { readFile } = await import("node:fs/promises");
  const { basename, dirname, join } = await import("node:path");
  return async (file) =>
    file === basename(file) ? readFile(join(dirname(path), file)).catch(() => undefined) : undefined;
}

function parseArguments(args) {
  const files = [];
  const values = new Map();
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index];
    if (!argument.startsWith("--")) {
      files.push(argument);
      continue;
    }
    if (["--json", "--quiet"].includes(argument)) {
      values.set(argument, "");
      continue;
    }
    index += 1;
    if (!["--trust-key", "--validators", "--rpc", "--contract"].includes(argument))
      throw new UsageError(`unknown option ${argument}`);
    if (args[index] === undefined || values.has(argument)) throw new UsageError(`${argument} requires one value`);
    values.set(argument, args[index]);
  }
  if (files.length < 1 || files.length > 2) throw new UsageError("BUNDLE and DOCUMENT are required");
  return { files, values };
}

/** Computes the SHA-256 of a file of any size. */
async function fileHash(path) {
  const { createHash } = await import("node:crypto");
  const { createReadStream } = await import("node:fs");
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

/** The longest wait for a response of the node, with its body. */
const NODE_MILLISECONDS = 30_000;

function nodeAt(url) {
  return async (method, params) => {
    const signal = globalThis.AbortSignal.timeout(NODE_MILLISECONDS);
    const response = await fetch(url, {
      signal,
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    }).catch((error) => fail(`the node does not respond (${error.cause?.message ?? error.message})`));
    const result = await response
      .json()
      .catch(() => fail(signal.aborted ? "the node does not respond in time" : "the node's response is not JSON"));
    if (!response.ok || result?.error || result?.result === undefined)
      fail(`the node returned an error: ${result?.error?.message ?? response.status}`);
    return result.result;
  };
}

/** Returns whether this file was started as a program. */
async function isProgram() {
  if (typeof process === "undefined" || process.argv?.[1] === undefined) return false;
  const { realpathSync } = await import("node:fs");
  const { pathToFileURL } = await import("node:url");
  return import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href;
}

if (await isProgram()) {
  await main(process.argv.slice(2)).catch((error) => {
    console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error.message);
    process.exitCode = 2;
  });
}
