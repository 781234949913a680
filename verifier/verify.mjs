#!/usr/bin/env node
// Checks a proof bundle of Sealbook: that a document existed, as it is now, when a block of a chain was made. Checks a
// signed attestation of such documents with the bundles attached to it.
//
//   node verify.mjs BUNDLE DOCUMENT [--trust-key HEX] [--validators FILE] [--rpc URL]
//   node verify.mjs ATTESTATION [DOCUMENT] [--trust-key ID] [--validators FILE] [--rpc URL]
//
// This file is meant to be read from top to bottom. It needs nothing but a JavaScript engine (Node 18 or newer, or a
// browser): no package, no server, no chain. SHA-256 and Ed25519 are those of the engine (Web Cryptography); everything
// else that counts stands here. What it checks is described, field by field, in docs/proof-format.md and
// docs/attestation.md.
//
//   Part 1   bytes and text
//   Part 2   keccak-256, the hash function of the chain
//   Part 3   RLP, the encoding of the chain
//   Part 4   Merkle-Patricia tries, which tie transactions and receipts to a block's header
//   Part 5   secp256k1, the signatures of the chain's validators
//   Part 6   the Merkle tree of a batch, which ties a record to what was put on chain
//   Part 7   the form of a bundle
//   Part 8   the checks, one after the other, with what each proves and what it leaves open
//   Part 9   attestations
//   Part 10  the command line

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: bytes and text
// ---------------------------------------------------------------------------------------------------------------------

/** Something does not hold; the message says what. Any other error is a fault of this program, and refuses as well. */
export class Refusal extends Error {}

function refuse(message) {
  throw new Refusal(message);
}

const text = new TextEncoder();

/** Bytes as lower-case hexadecimal digits. */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of hexadecimal digits, with or without 0x. */
export function fromHex(hex) {
  const digits = hex.startsWith("0x") ? hex.slice(2) : hex;
  if (!/^(?:[0-9a-f]{2})*$/.test(digits)) refuse(`"${hex.slice(0, 20)}" is not hexadecimal`);
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
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

/** A number from its bytes, the highest first. */
function toNumber(bytes) {
  return bytes.length === 0 ? 0n : BigInt(`0x${toHex(bytes)}`);
}

/** The engine's Web Cryptography; before Node 20 it is not there by itself. */
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
// As Ethereum has it, which is SHA-3 before its standard changed the padding. The state is 25 words of 64 bits, word
// x + 5y at column x and row y. JavaScript is fast with 32 bits only, so the words' lower and upper halves stand in an
// array each, and what is done to a word is done to both.
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

/** How far each word is turned to the left, in the order of the words. */
const ROTATIONS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];

/** A half of a word that is turned to the left: `same` is this half, `other` the one whose bits come in. */
function turned(same, other, by) {
  if (by >= 32) return turned(other, same, by - 32);
  return by === 0 ? same : (same << by) | (other >>> (32 - by));
}

function permute(lower, upper) {
  for (const constant of ROUND_CONSTANTS) {
    // Theta: each word takes in the parity of two columns.
    const parityOf = (half) =>
      [0, 1, 2, 3, 4].map((x) => half[x] ^ half[x + 5] ^ half[x + 10] ^ half[x + 15] ^ half[x + 20]);
    const [low, high] = [parityOf(lower), parityOf(upper)];
    // Rho and pi: each word is turned, and moves from (x, y) to (y, 2x + 3y).
    const movedLow = new Int32Array(25);
    const movedHigh = new Int32Array(25);
    for (let place = 0; place < 25; place += 1) {
      const x = place % 5;
      const y = (place - x) / 5;
      const before = (x + 4) % 5;
      const after = (x + 1) % 5;
      const wordLow = lower[place] ^ low[before] ^ turned(low[after], high[after], 1);
      const wordHigh = upper[place] ^ high[before] ^ turned(high[after], low[after], 1);
      const target = y + 5 * ((2 * x + 3 * y) % 5);
      movedLow[target] = turned(wordLow, wordHigh, ROTATIONS[place]);
      movedHigh[target] = turned(wordHigh, wordLow, ROTATIONS[place]);
    }
    // Chi: each word is changed by the two that follow it in its row.
    for (let place = 0; place < 25; place += 1) {
      const x = place % 5;
      const next = place - x + ((x + 1) % 5);
      const afterNext = place - x + ((x + 2) % 5);
      lower[place] = movedLow[place] ^ (~movedLow[next] & movedLow[afterNext]);
      upper[place] = movedHigh[place] ^ (~movedHigh[next] & movedHigh[afterNext]);
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
    for (let place = 0; place < rate / 8; place += 1) {
      lower[place] ^= input.getInt32(block + 8 * place, true);
      upper[place] ^= input.getInt32(block + 8 * place + 4, true);
    }
    permute(lower, upper);
  }
  const hash = new DataView(new ArrayBuffer(32));
  for (let place = 0; place < 4; place += 1) {
    hash.setInt32(8 * place, lower[place], true);
    hash.setInt32(8 * place + 4, upper[place], true);
  }
  return new Uint8Array(hash.buffer);
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 3: RLP
//
// An item is bytes or a list of items. One byte under 0x80 stands for itself; else a first byte says whether bytes
// (0x80) or a list (0xc0) follow and how long they are, directly up to 55 or by a length of its own. Every item has one
// encoding only: any other is refused.
// ---------------------------------------------------------------------------------------------------------------------

/** Decodes bytes that are one item and nothing after it: to Uint8Array, or to an array of items. */
export function decodeRlp(bytes) {
  const [item, end] = decodeItem(bytes, 0);
  if (end !== bytes.length) refuse("RLP is followed by more bytes");
  return item;
}

function decodeItem(bytes, start) {
  const first = bytes[start] ?? refuse("RLP is cut short");
  if (first < 0x80) return [bytes.subarray(start, start + 1), start + 1];
  const base = first < 0xc0 ? 0x80 : 0xc0;
  let length = first - base;
  let from = start + 1;
  if (length > 55) {
    const digits = bytes.subarray(from, from + length - 55);
    from += length - 55;
    length = Number(toNumber(digits));
    if (digits[0] === 0 || length <= 55) refuse("RLP has a length that is not written in the one way");
  }
  const end = from + length;
  if (end > bytes.length) refuse("RLP is cut short");
  if (base === 0x80) {
    if (length === 1 && bytes[from] < 0x80) refuse("RLP has a byte that is not written in the one way");
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

/** A number's bytes without leading zeros, the highest first; none for 0. */
function numberBytes(number) {
  const hex = number === 0 ? "" : number.toString(16);
  return fromHex(hex.length % 2 === 0 ? hex : `0${hex}`);
}

function listOf(item, what, length = item.length) {
  if (item instanceof Uint8Array || item.length !== length) refuse(`${what} is not a list of ${length}`);
  return item;
}

function bytesOf(item, what, length = item.length) {
  if (!(item instanceof Uint8Array) || item.length !== length) refuse(`${what} is not ${length} bytes`);
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

/** The value that a trie has under a key; `proof` are its nodes on the way there, from the root down. */
export function provenValue(root, key, proof) {
  let rest = halfBytes(key);
  let expected = root;
  for (const [index, encoded] of proof.entries()) {
    if (!isEqual(keccak256(encoded), expected))
      refuse(`node ${index} of the proof does not have the hash by which it is named`);
    let child = decodeRlp(encoded);
    // Through this node, and those that stand in it.
    while (!(child instanceof Uint8Array)) {
      const node = child;
      if (node.length === 17) {
        if (rest.length === 0) return lastValue(node[16], index, proof);
        child = node[rest[0]];
        rest = rest.slice(1);
        continue;
      }
      const [mark, ...piece] = halfBytes(bytesOf(listOf(node, "a node of the proof", 2)[0], "a piece of a key"));
      // The first half-byte: 2 for a value, 1 for an odd number of half-bytes; an even number follows a 0.
      const isLeaf = mark >= 2;
      if (!(mark <= 3) || (mark % 2 === 0 && piece.shift() !== 0))
        refuse("a node of the proof has a mark that there is not");
      if (!isEqual(piece, rest.slice(0, piece.length))) refuse("the proof leads to another place");
      rest = rest.slice(piece.length);
      if (isLeaf) {
        if (rest.length > 0) refuse("the proof leads to another place");
        return lastValue(node[1], index, proof);
      }
      child = node[1];
    }
    if (child.length !== 32) refuse("the proof leads to nothing");
    expected = child;
  }
  return refuse("the proof is cut short");
}

function lastValue(value, index, proof) {
  if (index !== proof.length - 1) refuse("the proof has nodes that lead nowhere");
  if (bytesOf(value, "a value").length === 0) refuse("the proof leads to nothing");
  return value;
}

function halfBytes(bytes) {
  return Array.from(bytes).flatMap((byte) => [byte >> 4, byte & 15]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 5: secp256k1
//
// Who made a signature follows from the signature and what was signed: the curve y² = x³ + 7 over the field of P, its
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

/** 1 / number, by Euclid's algorithm. */
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

/** i times A plus j times B: both at once, bit by bit from the highest. */
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

/** The address of a digest's signer. A signature is r and s (32 bytes each) and a byte: 1 when R's y is odd, else 0. */
export function recoverAddress(digest, signature) {
  bytesOf(signature, "a signature", 65);
  const r = toNumber(signature.subarray(0, 32));
  const s = toNumber(signature.subarray(32, 64));
  const odd = signature[64];
  if (r === 0n || r >= N || s === 0n || s >= N || odd > 1) refuse("a signature has values that no signature has");
  const square = modulo(r * r * r + 7n, P);
  const root = power(square, (P + 1n) / 4n, P);
  if ((root * root) % P !== square) refuse("a signature is on no point of the curve");
  const R = [r, root % 2n === BigInt(odd) ? root : P - root];
  const byR = inverse(r, N);
  const key = addMultiples(modulo(-toNumber(digest) * byR, N), G, (s * byR) % N, R);
  if (key === undefined) refuse("a signature has no key");
  const keyBytes = fromHex(key.map((coordinate) => coordinate.toString(16).padStart(64, "0")).join(""));
  return `0x${toHex(keccak256(keyBytes).subarray(12))}`;
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 6: the Merkle tree of a batch
//
// Up to 1000 recorded hashes go on chain under one root. A leaf is the recorded hash, hashed twice, so that no inner
// node (hashed once, from 64 bytes) can pass for one. A pair is hashed with the smaller one first; a node without a
// neighbour moves up as it is.
// ---------------------------------------------------------------------------------------------------------------------

export function leafOf(recordHash) {
  return keccak256(keccak256(recordHash));
}

/** Where a path leads from a leaf. */
export function rootOf(leaf, path) {
  return path.reduce(
    (node, sibling) => keccak256(concat(...(toHex(node) < toHex(sibling) ? [node, sibling] : [sibling, node]))),
    leaf,
  );
}

/** How many siblings there are on the way up from a place in a tree of a size. */
export function pathLength(index, size) {
  let length = 0;
  for (; size > 1; size = Math.ceil(size / 2), index = Math.floor(index / 2)) {
    if ((index ^ 1) < size) length += 1;
  }
  return length;
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 7: the form of a bundle
//
// One text for one content: names sorted, nothing between them, numbers and text as JSON.stringify writes them
// (RFC 8785). A text that is written in any other way is refused, so no two readers can see different things in it.
// ---------------------------------------------------------------------------------------------------------------------

export function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(",")}}`;
}

const integer = (value, path) => (Number.isSafeInteger(value) && value >= 0) || refuse(`${path} is not a whole number`);
const string = (value, path) => typeof value === "string" || refuse(`${path} is not text`);
const exactly =
  (...choices) =>
  (value, path) =>
    choices.includes(value) || refuse(`${path} is not ${choices.join(" or ")}`);
const digits = (bytes) => (value, path) =>
  (typeof value === "string" && /^[0-9a-f]*$/.test(value) && value.length === 2 * bytes) ||
  refuse(`${path} is not ${2 * bytes} hexadecimal digits in lower case`);
/** Bytes of any number, or of a given one, after 0x. */
const data = (bytes) => (value, path) =>
  (typeof value === "string" &&
    /^0x(?:[0-9a-f]{2})+$/.test(value) &&
    (bytes === undefined || value.length === 2 + 2 * bytes)) ||
  refuse(`${path} is not 0x and ${bytes === undefined ? "" : `${2 * bytes} `}hexadecimal digits in lower case`);
const list = (check) => (value, path) => {
  if (!Array.isArray(value)) refuse(`${path} is not a list`);
  value.forEach((item, index) => check(item, `${path}.${index}`));
};
const nullOr = (check) => (value, path) => value === null || check(value, path);
/** An object with exactly these members. */
const object = (members) => (value, path) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse(`${path} is not an object`);
  for (const name of Object.keys(value))
    if (!Object.hasOwn(members, name)) refuse(`${path} has a member ${JSON.stringify(name)} that there is not`);
  for (const [name, check] of Object.entries(members)) {
    if (!Object.hasOwn(value, name)) refuse(`${path} lacks ${name}`);
    check(value[name], `${path}.${name}`);
  }
};
/** Two members have a meaning, the others are for the reader. */
const metadata = (value, path) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse(`${path} is not an object`);
  integer(value.timestamp, `${path}.timestamp`);
  if (Object.hasOwn(value, "type")) string(value.type, `${path}.type`);
};

const provenBytes = object({ proof: list(data()), raw: data() });

const bundleForm = object({
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
  signature: object({ algorithm: exactly("Ed25519"), key_id: digits(8), public_key: digits(32), value: digits(64) }),
});

/** The bundle that a text holds. One newline may follow it. */
export function parseBundle(json) {
  let bundle;
  try {
    bundle = JSON.parse(json);
  } catch {
    refuse("it is not JSON");
  }
  if (bundle?.format !== "sealbook-bundle/1") refuse("it is not of the format sealbook-bundle/1");
  if (canonicalJson(bundle) !== json.replace(/\n$/, ""))
    refuse("it is not written in the canonical way: it was changed");
  bundleForm(bundle, "bundle");
  return bundle;
}

/** What the signature covers: everything but its own value. */
export function signedBytes(bundle) {
  const { value: _, ...signature } = bundle.signature;
  return text.encode(canonicalJson({ ...bundle, signature }));
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 8: the checks
//
// Each check gets the bundle and the options. It throws, or returns what it proves and what it assumes.
// ---------------------------------------------------------------------------------------------------------------------

// Places of fields in the RLP of a block's header.
const TRANSACTIONS_ROOT = 4;
const RECEIPTS_ROOT = 5;
const NUMBER = 8;
const TIME = 11;
const EXTRA_DATA = 12;

/** The signature of whoever issued the bundle. */
async function checkSignature(bundle, { trustedKey }) {
  const { key_id, public_key, value } = bundle.signature;
  const keyBytes = fromHex(public_key);
  if (toHex(await sha256(keyBytes)).slice(0, 16) !== key_id) refuse("the key's id is not that of the key");
  const key = await (
    await subtle()
  )
    .importKey("raw", keyBytes, { name: "Ed25519" }, false, ["verify"])
    .catch(() => refuse("the key is none, or this engine does not know Ed25519 (Node 18, or a browser of 2025, does)"));
  if (!(await (await subtle()).verify({ name: "Ed25519" }, key, fromHex(value), signedBytes(bundle)))) {
    refuse("the signature is not one over this bundle: the bundle was changed");
  }
  if (trustedKey !== undefined && trustedKey !== public_key)
    refuse(`it is signed with the key ${public_key}, not with the one you trust`);
  return {
    proves: `nobody changed a character of the bundle since the holder of key ${key_id} signed it`,
    assumes:
      trustedKey === undefined
        ? `nothing follows from this about who that is: compare the key, ${public_key}, with the issuer's`
        : "the key you gave is the issuer's, and the issuer kept it to itself",
  };
}

/** The document in hand. */
function checkDocument(bundle, { documentHash }) {
  if (bundle.record.hash !== documentHash)
    refuse(`the document's SHA-256 is ${documentHash}, the bundle is about ${bundle.record.hash}`);
  return {
    proves: "the bundle is about exactly this document",
    assumes: "nobody can make two documents with one SHA-256",
  };
}

/** The recorded hash: SHA-256 over document id, timestamp, type and document hash, as text one after the other. */
async function checkRecord(bundle) {
  const {
    document_id,
    hash,
    metadata: { timestamp, type = "" },
    record_hash,
  } = bundle.record;
  const recorded = toHex(await sha256(text.encode(`${document_id}${timestamp}${type}${hash}`)));
  if (recorded !== record_hash)
    refuse("the recorded hash is not that of the document's id, timestamp, type and hash: one of them was changed");
  return {
    proves: "the recorded hash was made of this document's hash, and of its id, timestamp and type",
    assumes:
      "where the id ends and the timestamp begins is the issuer's word (nothing separates them in the recorded " +
      "text), and so is all other metadata",
  };
}

/** The way from the recorded hash to what was put on chain. */
function checkBatch(bundle) {
  const {
    merkle,
    record: { record_hash },
  } = bundle;
  if (merkle === null) return { proves: "the recorded hash went on chain as it is", assumes: "nothing" };
  const leaf = leafOf(fromHex(record_hash));
  if (`0x${toHex(leaf)}` !== merkle.leaf) refuse("the leaf is not that of the recorded hash");
  if (merkle.size < 1 || merkle.size > 1000 || merkle.index >= merkle.size) refuse("there is no such place in a batch");
  if (merkle.path.length !== pathLength(merkle.index, merkle.size))
    refuse("the Merkle path does not have the length of its place");
  if (`0x${toHex(rootOf(leaf, merkle.path.map(fromHex)))}` !== merkle.root)
    refuse("the Merkle path does not lead from the recorded hash to the root");
  return {
    proves: `the recorded hash is one of the ${merkle.size} under the root`,
    assumes: "nobody can find two inputs with one keccak-256; the place in the batch is the issuer's word",
  };
}

/** The block's header, its hash, and whether the extra data are those of the protocol. */
function checkHeader(bundle) {
  const {
    block: { header, hash },
    consensus: { protocol, validators },
  } = bundle;
  const fields = listOf(decodeRlp(fromHex(header)), "the header");
  // Each fork of the chain's rules can add fields at the end; the hash covers them all.
  if (fields.length < 15) refuse("the header does not have the fields of one");
  const covered = protocol === "none" ? fields : withExtraData(fields, extraDataForHash(protocol, fields));
  if (`0x${toHex(keccak256(encodeRlp(covered)))}` !== hash) refuse("the header does not have the block's hash");
  const named = protocol === "none" ? [] : extraDataOf(fields)[1].map((validator) => `0x${toHex(validator)}`);
  if (!isEqual(named, validators)) refuse("the validators are not those of the header");
  return {
    proves:
      `the header is that of block ${blockNumber(fields)} with the hash ${hash}, ` +
      `and says that it was made at ${blockTime(fields)}`,
    assumes:
      "nothing follows from this about whether the chain has that block: that is what validators' seals or a node say",
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
  return fields.map((field, place) => (place === EXTRA_DATA ? encodeRlp(extraData) : field));
}

/** What IBFT 2.0 and QBFT keep in a header: 32 bytes of any kind, the validators, a vote, the round, the seals. */
function extraDataOf(fields) {
  const extraData = listOf(decodeRlp(bytesOf(fields[EXTRA_DATA], "the extra data")), "the extra data", 5);
  listOf(extraData[1], "the list of validators").forEach((validator) => bytesOf(validator, "a validator", 20));
  bytesOf(extraData[3], "the round");
  listOf(extraData[4], "the list of seals").forEach((seal) => bytesOf(seal, "a seal", 65));
  return extraData;
}

/** The block's hash covers neither round nor seals: IBFT 2.0 leaves them out, QBFT has a round of 0 and no seals. */
function extraDataForHash(protocol, fields) {
  const [vanity, validators, vote] = extraDataOf(fields);
  return protocol === "ibft2" ? [vanity, validators, vote] : [vanity, validators, vote, new Uint8Array(), []];
}

/** What validators sign covers the round: IBFT 2.0 leaves the seals out, QBFT has none. */
function extraDataForSeals(protocol, fields) {
  const [vanity, validators, vote, round] = extraDataOf(fields);
  return protocol === "ibft2" ? [vanity, validators, vote, round] : [vanity, validators, vote, round, []];
}

/** What went on chain for the record. */
function anchoredBy({ merkle, record }) {
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

/** The transaction that put the hash on chain. */
function checkTransaction(bundle) {
  const { chain_id, contract, index, transaction } = bundle.anchor;
  const raw = fromHex(transaction.raw);
  const proven = provenValue(
    headerFields(bundle)[TRANSACTIONS_ROOT],
    encodeRlp(numberBytes(index)),
    transaction.proof.map(fromHex),
  );
  if (!isEqual(proven, raw)) refuse("the block has another transaction at that place");
  const { chainId, to, input } = transactionFields(raw);
  if (chainId !== BigInt(chain_id)) refuse(`the transaction is one of chain ${chainId}, not of chain ${chain_id}`);
  if (`0x${toHex(to)}` !== contract) refuse("the transaction does not call the contract");
  const { hash, size } = anchoredBy(bundle);
  const call =
    size === 0
      ? concat(selector("anchor(bytes32)"), hash)
      : concat(selector("anchorBatch(bytes32,uint32)"), hash, word(size));
  if (!isEqual(input, call)) refuse("the transaction does not anchor this hash");
  return {
    proves:
      `transaction 0x${toHex(keccak256(raw))} is in that block, is made for chain ${chain_id} ` +
      `and gives the contract ${contract} the hash`,
    assumes: "nothing",
  };
}

/** What counts of a transaction, of whichever type: 0 (without a mark) to 4. */
function transactionFields(raw) {
  if (raw[0] >= 0xc0) {
    const fields = listOf(decodeRlp(raw), "the transaction", 9);
    // v is 27 or 28 where no chain is named, and 2 × chain id + 35 or 36 else.
    const v = toNumber(bytesOf(fields[6], "v"));
    if (v < 35n) refuse("the transaction does not say for which chain it is");
    return { chainId: (v - 35n) / 2n, to: bytesOf(fields[3], "to"), input: bytesOf(fields[5], "the input") };
  }
  const fields = listOf(decodeRlp(raw.subarray(1)), "the transaction");
  const to = raw[0] === 1 ? 4 : 5;
  if (raw[0] < 1 || raw[0] > 4 || fields.length < 11) refuse("the transaction is of a type that is not known");
  return {
    chainId: toNumber(bytesOf(fields[0], "the chain id")),
    to: bytesOf(fields[to], "to"),
    input: bytesOf(fields[to + 2], "the input"),
  };
}

/** What the chain made of the transaction: that it succeeded, and what the contract said. */
function checkReceipt(bundle) {
  const { contract, index, receipt } = bundle.anchor;
  const raw = fromHex(receipt.raw);
  const proven = provenValue(
    headerFields(bundle)[RECEIPTS_ROOT],
    encodeRlp(numberBytes(index)),
    receipt.proof.map(fromHex),
  );
  if (!isEqual(proven, raw)) refuse("the block has another receipt at that place");
  const [status, , , logs] = listOf(decodeRlp(raw[0] >= 0xc0 ? raw : raw.subarray(1)), "the receipt", 4);
  if (!isEqual(bytesOf(status, "the status"), [1])) refuse("the transaction failed");
  const { hash, size } = anchoredBy(bundle);
  const event = keccak256(text.encode("Anchored(bytes32,uint32)"));
  const said = listOf(logs, "the logs").some((log) => {
    const [address, topics, logged] = listOf(log, "a log", 3);
    return (
      `0x${toHex(address)}` === contract &&
      topics.length === 2 &&
      isEqual(topics[0], event) &&
      isEqual(topics[1], hash) &&
      isEqual(logged, word(size))
    );
  });
  if (!said) refuse("the contract did not say that it anchored this hash");
  return {
    proves: "the transaction succeeded, and the contract said that it saw the hash for the first time",
    assumes: "nothing that counts here: the hash is in the block, whatever the contract at that address is",
  };
}

/** The validators' seals. */
function checkSeals(bundle, { validators }) {
  const { protocol } = bundle.consensus;
  if (protocol === "none") refuse("blocks of this chain are not sealed by validators");
  const fields = headerFields(bundle);
  const trusted = new Set(validators.map((address) => address.toLowerCase()));
  const named = new Set(bundle.consensus.validators);
  if (trusted.size === 0) refuse("the list of validators is empty");
  if (named.size !== trusted.size || ![...named].every((address) => trusted.has(address))) {
    refuse("the block's validators are not those of your list");
  }
  const digest = keccak256(encodeRlp(withExtraData(fields, extraDataForSeals(protocol, fields))));
  const sealed = new Set();
  for (const seal of extraDataOf(fields)[4]) {
    const validator = recoverAddress(digest, seal);
    if (!trusted.has(validator)) refuse("a seal is by nobody of your list, or over another block");
    if (sealed.has(validator)) refuse("a validator sealed the block twice");
    sealed.add(validator);
  }
  const quorum = Math.ceil((2 * trusted.size) / 3);
  if (sealed.size < quorum)
    refuse(`${sealed.size} of ${trusted.size} validators sealed the block, ${quorum} are needed`);
  return {
    proves: `${sealed.size} of ${trusted.size} validators sealed this block (${quorum} are needed)`,
    assumes:
      "your list is that of the chain's validators at that block, " +
      "and not that many of them conspired or lost their keys",
  };
}

/** A node of the chain. */
async function checkNode(bundle, { node }) {
  const {
    anchor: { chain_id },
    block: { hash },
  } = bundle;
  const number = toNumber(headerFields(bundle)[NUMBER]);
  const chainId = await node("eth_chainId", []);
  if (BigInt(chainId) !== BigInt(chain_id))
    refuse(`the node is of chain ${BigInt(chainId)}, the bundle of chain ${chain_id}`);
  const block = await node("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]);
  if (block === null) refuse(`the node does not have block ${number}`);
  if (String(block.hash).toLowerCase() !== hash)
    refuse(`the node has the hash ${String(block.hash)} for block ${number}`);
  return {
    proves: "the node has this block at this place of its chain, and with its hash everything above",
    assumes: "the node tells the truth, and is one of the chain that is meant: run your own, or ask several",
  };
}

/** Somebody has to be trusted; without the others it is the holder of a key. */
function checkTrust(_bundle, { trustedKey }) {
  if (trustedKey === undefined) {
    refuse(
      "all of it holds together, but anybody could have made it: name a key, validators or a node that you trust " +
        "(on the command line: --trust-key, --validators, --rpc)",
    );
  }
  return {
    proves: "the issuer, whose key you gave, stated all of this",
    assumes:
      "the issuer tells the truth about what the chain has: " +
      "only validators' seals or a node show that without the issuer",
  };
}

/**
 * Checks a bundle against a document.
 *
 * `documentHash` is the document's SHA-256 in lower-case hexadecimal digits. `asked` can have `trustedKey` (64
 * hexadecimal digits), `validators` (a list of addresses) and `node` (makes a JSON-RPC call); each adds to what is
 * checked. `onStep` is told of each check as soon as it is made. Nothing is checked after the first that refuses.
 */
export async function verifyBundle(json, documentHash, asked = {}, onStep = () => {}) {
  const level = asked.validators !== undefined ? "validators" : asked.node !== undefined ? "node" : "signature";
  const checks = [
    ["Issuer's signature", checkSignature],
    ["Document", checkDocument],
    ["Recorded hash", checkRecord],
    ["Batch", checkBatch],
    ["Block header", checkHeader],
    ["Transaction", checkTransaction],
    ["Receipt", checkReceipt],
    ...(asked.validators === undefined ? [] : [["Validators' seals", checkSeals]]),
    ...(asked.node === undefined ? [] : [["Node", checkNode]]),
    ...(level === "signature" ? [["Trust", checkTrust]] : []),
  ];
  const steps = [];
  let bundle;
  const run = async (title, check) => {
    const step = await outcome(title, check);
    steps.push(step);
    onStep(step);
    return step.ok;
  };
  let ok = await run("Format", () => {
    bundle = parseBundle(json);
    return { proves: "the bundle is complete, and can be read in one way only", assumes: "nothing" };
  });
  for (const [title, check] of checks) {
    if (ok) ok = await run(title, () => check(bundle, { ...asked, documentHash }));
  }
  if (!ok) return { ok, level, steps };
  const fields = headerFields(bundle);
  const block = { number: blockNumber(fields), time: blockTime(fields), chainId: bundle.anchor.chain_id };
  return { ok, level, steps, documentId: bundle.record.document_id, block };
}

async function outcome(title, check) {
  try {
    return { title, ok: true, ...(await check()) };
  } catch (error) {
    const reason = error instanceof Refusal ? error.message : `it cannot be read: ${error?.message ?? error}`;
    return { title, ok: false, reason };
  }
}

/** The addresses in a text: a JSON list, or one in each line. */
export function parseValidators(list) {
  const addresses = list.trim().startsWith("[") ? JSON.parse(list) : list.split(/[\s,]+/).filter((item) => item !== "");
  for (const address of addresses) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address))
      refuse(`"${String(address).slice(0, 50)}" is not the address of a validator`);
  }
  return addresses;
}

/** What is said in one line when all checks went through. */
export function conclusion({ level, documentId, block }) {
  const by = {
    validators: "the seals of the chain's validators",
    node: "the node that was asked",
    signature: "the issuer's signature",
  }[level];
  const document = printable(JSON.stringify(documentId));
  const made = `block ${block.number} of chain ${block.chainId} was made, at ${block.time}`;
  return `The document ${document} existed as it is now when ${made}; by ${by}.`;
}

/** Text of others, without what a terminal or a browser would not show as it is. */
export function printable(foreign) {
  return foreign.replace(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 9: attestations
//
// An attestation is a statement of the issuer about records, as compact JWS (RFC 7515): header, payload and signature
// in base64url, separated by dots. It has the digests of the files that belong to it, among them bundles of its records.
// The signature covers the payload, the payload covers the bundles, and a bundle leads to its block.
// ---------------------------------------------------------------------------------------------------------------------

const JWS_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns whether a text is a compact JWS. A bundle is JSON. */
export function isAttestation(text) {
  return JWS_FORM.test(text.trimEnd());
}

/** The bytes of base64url. Each content has one form only. */
function fromBase64url(encoded) {
  const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  if (toBase64url(binary) !== encoded) refuse("it is not base64url");
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function toBase64url(binary) {
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function jsonIn(bytes) {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** The members that the checks read. The others are for the reader. */
const recordForm = (value, path) => {
  const { document_id, hash, metadata: more, record_hash, merkle, first_anchor, bundle } = value ?? {};
  string(document_id, `${path}.document_id`);
  digits(32)(hash, `${path}.hash`);
  metadata(more, `${path}.metadata`);
  digits(32)(record_hash, `${path}.record_hash`);
  nullOr(object({ index: integer, leaf: data(32), path: list(data(32)), root: data(32) }))(merkle, `${path}.merkle`);
  object({ timestamp: integer, block_number: integer, size: integer })(first_anchor, `${path}.first_anchor`);
  nullOr(string)(bundle, `${path}.bundle`);
};
const statementForm = (value, path) => {
  const { issuer, issued_at, chain, attachments, records = [] } = value;
  integer(issued_at, `${path}.issued_at`);
  string(issuer?.name, `${path}.issuer.name`);
  string(issuer?.key_id, `${path}.issuer.key_id`);
  digits(32)(issuer?.bundle_key, `${path}.issuer.bundle_key`);
  object({ kty: exactly("EC"), crv: exactly("P-256"), x: string, y: string })(
    issuer?.public_key,
    `${path}.issuer.public_key`,
  );
  integer(chain?.chain_id, `${path}.chain.chain_id`);
  data(20)(chain?.contract?.toLowerCase?.(), `${path}.chain.contract`);
  list(object({ file: string, sha256: digits(32) }))(attachments, `${path}.attachments`);
  list(recordForm)(records, `${path}.records`);
};

/** The parts of an attestation. */
function parseAttestation(jws) {
  const [header, payload, signature] = jws.trimEnd().split(".");
  const { alg, kid, typ, ...others } = jsonIn(fromBase64url(header));
  if (alg !== "ES256" || typ !== "sealbook-attestation+jws" || Object.keys(others).length > 0)
    refuse("its header is not that of an attestation with ES256");
  const bytes = fromBase64url(payload);
  const statement = jsonIn(bytes);
  if (statement?.format !== "sealbook-attestation/1") refuse("it is not of the format sealbook-attestation/1");
  if (!isEqual(text.encode(canonicalJson(statement)), bytes)) refuse("it is not written in the canonical way");
  statementForm(statement, "statement");
  return { kid, statement, signed: text.encode(`${header}.${payload}`), signature: fromBase64url(signature) };
}

/** The signature of the statement, by the key that it names. */
async function checkStatementSignature({ kid, statement, signed, signature }, { trustedKey }) {
  const { key_id, public_key } = statement.issuer;
  // The id of a key is the hash of its canonical text (RFC 7638).
  const id = toBase64url(String.fromCharCode(...(await sha256(text.encode(canonicalJson(public_key))))));
  if (id !== kid || id !== key_id) refuse("the key's id is not that of the key");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await (
    await subtle()
  )
    .importKey("jwk", public_key, algorithm, false, ["verify"])
    .catch(() => refuse("the key is not one of the curve P-256"));
  if (!(await (await subtle()).verify(algorithm, key, signature, signed)))
    refuse("the signature is not one over this statement: the statement was changed");
  if (trustedKey !== undefined && trustedKey !== id)
    refuse(`it is signed with the key ${id}, not with the one you trust`);
  return {
    proves: `nobody changed the statement, or a file that it names, since the holder of key ${id} signed it`,
    assumes:
      trustedKey === undefined
        ? `nothing follows from this about who that is: compare the key, ${id}, with the issuer's`
        : "the key you gave is the issuer's, and the issuer kept it to itself",
  };
}

/** A bundle that belongs to the attestation: unchanged, valid, and about the record. */
async function checkAttached({ statement }, record, requested, readAttachment) {
  const { issuer, chain, attachments } = statement;
  const named = attachments.find(({ file }) => file === record.bundle);
  if (named === undefined) refuse("the statement does not have its digest");
  const content = await readAttachment(record.bundle);
  if (content === undefined) refuse("the file is missing: extract all attached files into the attestation's folder");
  if (toHex(await sha256(content)) !== named.sha256) refuse("the file was changed since the statement was signed");
  const json = new TextDecoder().decode(content);
  const { ok, steps } = await verifyBundle(json, record.hash, { ...requested, trustedKey: issuer.bundle_key });
  const failed = steps.at(-1);
  if (!ok) refuse(`${failed.title}: ${failed.reason}`);
  const bundle = parseBundle(json);
  const { size, ...merkle } = bundle.merkle ?? { size: 0 };
  const fields = headerFields(bundle);
  const proven = {
    document_id: bundle.record.document_id,
    hash: bundle.record.hash,
    metadata: bundle.record.metadata,
    record_hash: bundle.record.record_hash,
    merkle: bundle.merkle === null ? null : merkle,
    first_anchor: { timestamp: Number(toNumber(fields[TIME])), block_number: Number(blockNumber(fields)), size },
    chain_id: bundle.anchor.chain_id,
    contract: bundle.anchor.contract,
  };
  const stated = { ...record, chain_id: chain.chain_id, contract: chain.contract.toLowerCase() };
  for (const [name, value] of Object.entries(proven)) {
    if (canonicalJson(value) !== canonicalJson(stated[name]))
      refuse(`the statement has another ${name} than the proof`);
  }
  return {
    proves:
      `the recorded hash ${record.record_hash} of the document with the SHA-256 ${record.hash} is in block ` +
      `${blockNumber(fields)} of chain ${chain.chain_id}, made at ${blockTime(fields)}`,
    assumes:
      requested.validators !== undefined
        ? "your list is that of the chain's validators at that block"
        : requested.node !== undefined
          ? "the node tells the truth, and is one of the chain that is meant"
          : "the issuer tells the truth about which blocks the chain has: only validators' seals or a node show that",
  };
}

/** The records without a bundle: what the statement has of them fits together. */
async function checkOtherRecords(records) {
  for (const record of records) {
    await checkRecord({ record });
    checkBatch({ record, merkle: record.merkle && { ...record.merkle, size: record.first_anchor.size } });
  }
  return {
    proves: `the recorded hashes of ${records.length} more records belong to their documents and Merkle roots`,
    assumes: "the issuer's word, or a node, for their blocks: no bundle of them is attached",
  };
}

/** The document in hand is one of those of the statement. */
function checkAttestedDocument(records, documentHash) {
  const place = records.findIndex(({ hash }) => hash === documentHash);
  if (place === -1) refuse(`the document's SHA-256 is ${documentHash}, and no record of the statement has it`);
  return {
    place: place + 1,
    proves: `the document is the content of record ${place + 1} of the statement`,
    assumes: "nobody can make two documents with one SHA-256",
  };
}

/** Somebody has to be trusted; validators and nodes say something about blocks only. */
function checkAttestationTrust(records, { trustedKey, validators, node }) {
  const isAttached = records.some(({ bundle }) => bundle !== null);
  if (trustedKey === undefined && !(isAttached && (validators !== undefined || node !== undefined))) {
    refuse(
      "all of it holds together, but anybody could have made it: name a key that you trust, or validators or a node " +
        "for the attached bundles (on the command line: --trust-key, --validators, --rpc)",
    );
  }
  return trustedKey === undefined
    ? { proves: "the blocks of the attached bundles, without the issuer", assumes: "nothing more" }
    : {
        proves: "the issuer, whose key you gave, stated all of this",
        assumes: "the issuer tells the truth about whatever no other check proves",
      };
}

/**
 * Checks an attestation and the bundles that it names.
 *
 * `readAttachment` returns the bytes of a named file, or `undefined`. `requested` can have `documentHash` (of a document
 * that must be in it, in lower-case hexadecimal digits), `trustedKey` (the id of a key), `validators` and `node`.
 * `onStep` is told of each check as soon as it is made. Nothing is checked after the first that refuses.
 */
export async function verifyAttestation(jws, readAttachment, requested = {}, onStep = () => {}) {
  const { documentHash, ...sources } = requested;
  const steps = [];
  const run = async (title, check) => {
    const step = await outcome(title, check);
    steps.push(step);
    onStep(step);
    return step.ok;
  };
  let attestation;
  let ok = await run("Format", () => {
    attestation = parseAttestation(jws);
    return { proves: "the attestation is complete, and can be read in one way only", assumes: "nothing" };
  });
  if (!ok) return { ok, steps };
  const { kid, statement } = attestation;
  const records = statement.records ?? [];
  const attached = records.filter(({ bundle }) => bundle !== null);
  const others = records.filter(({ bundle }) => bundle === null);
  let place;
  const checks = [
    ["Issuer's signature", () => checkStatementSignature(attestation, sources)],
    ...attached.map((record) => [
      `Portable proof ${record.bundle}`,
      () => checkAttached(attestation, record, sources, readAttachment),
    ]),
    ...(others.length === 0 ? [] : [["Other records", () => checkOtherRecords(others)]]),
    ...(documentHash === undefined
      ? []
      : [
          [
            "Document",
            () => {
              const { place: found, ...result } = checkAttestedDocument(records, documentHash);
              place = found;
              return result;
            },
          ],
        ]),
    ["Trust", () => checkAttestationTrust(records, sources)],
  ];
  for (const [title, check] of checks) {
    if (ok) ok = await run(title, check);
  }
  if (!ok) return { ok, steps };
  const { name } = statement.issuer;
  return {
    ok,
    steps,
    keyId: kid,
    issuer: name,
    issuedAt: statement.issued_at,
    proofs: attached.length,
    records: records.length,
    place,
  };
}

/** What is said in one line when all checks went through. */
export function attestationConclusion({ keyId, issuer, issuedAt, proofs, records, place }) {
  const time = new Date(1000 * issuedAt).toISOString().slice(0, 19).replace("T", " ");
  const signed = `The attestation ${keyId} of ${printable(JSON.stringify(issuer))} was signed at ${time} UTC.`;
  const proven = records === 0 ? "" : ` ${proofs} of its ${records} listed records have a portable proof.`;
  return signed + proven + (place === undefined ? "" : ` The document is the content of record ${place}.`);
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 10: the command line
// ---------------------------------------------------------------------------------------------------------------------

const USAGE = `usage: node verify.mjs BUNDLE DOCUMENT [--trust-key HEX] [--validators FILE] [--rpc URL]
       node verify.mjs ATTESTATION [DOCUMENT] [--trust-key ID] [--validators FILE] [--rpc URL]

  ATTESTATION        attestation.jws, in one folder with the files attached to it
  --trust-key HEX    the issuer's public key, 64 hexadecimal digits; for an attestation the key's id, 43 characters
  --validators FILE  addresses of the chain's validators at that block: a JSON list, or one in each line
  --rpc URL          JSON-RPC address of a node of the chain, http or https; nothing else uses the network

Exit code: 0 everything that was asked for holds, 1 it does not, 2 wrong usage.`;

class UsageError extends Error {}

async function main(args) {
  if (args.includes("--help") || args.includes("-h")) return console.log(USAGE);
  const { readFile } = await import("node:fs/promises");
  const { files, options } = parseArguments(args);
  const [proofFile, documentFile] = files;
  const proof = await readFile(proofFile, "utf8");
  const isSigned = isAttestation(proof);
  if (!isSigned && documentFile === undefined) throw new UsageError("a bundle and a document are needed");
  const asked = {};
  const key = options.get("--trust-key");
  if (key !== undefined) {
    if (isSigned && !/^[\w-]{43}$/.test(key)) throw new UsageError("--trust-key is not the id of a key, 43 characters");
    if (!isSigned && !/^[0-9a-fA-F]{64}$/.test(key)) throw new UsageError("--trust-key is not 64 hexadecimal digits");
    asked.trustedKey = isSigned ? key : key.toLowerCase();
  }
  if (options.has("--validators"))
    asked.validators = parseValidators(await readFile(options.get("--validators"), "utf8"));
  if (options.has("--rpc")) asked.node = nodeAt(options.get("--rpc"));
  const documentHash = documentFile === undefined ? undefined : await fileHash(documentFile);
  const result = isSigned
    ? await verifyAttestation(proof, await attachmentsBeside(proofFile), { ...asked, documentHash }, printStep)
    : await verifyBundle(proof, documentHash, asked, printStep);
  const concluded = isSigned ? attestationConclusion : conclusion;
  console.log(result.ok ? `\nVERIFIED. ${concluded(result)}` : "\nNOT VERIFIED.");
  process.exitCode = result.ok ? 0 : 1;
}

function printStep(step) {
  console.log(`${step.ok ? "holds  " : "REFUSED"}  ${printable(step.title)}`);
  if (step.ok)
    console.log(`           proves:  ${printable(step.proves)}\n           assumes: ${printable(step.assumes)}`);
  else console.log(`           ${printable(step.reason)}`);
}

/** Reads files in the folder of another one, by name. */
async function attachmentsBeside(path) {
  const { readFile } = await import("node:fs/promises");
  const { basename, dirname, join } = await import("node:path");
  return (file) =>
    file === basename(file) ? readFile(join(dirname(path), file)).catch(() => undefined) : Promise.resolve(undefined);
}

function parseArguments(args) {
  const files = [];
  const options = new Map();
  for (let place = 0; place < args.length; place += 1) {
    const argument = args[place];
    if (!argument.startsWith("--")) {
      files.push(argument);
      continue;
    }
    place += 1;
    if (!["--trust-key", "--validators", "--rpc"].includes(argument))
      throw new UsageError(`there is no option ${argument}`);
    if (args[place] === undefined || options.has(argument)) throw new UsageError(`${argument} needs one value`);
    options.set(argument, args[place]);
  }
  if (files.length < 1 || files.length > 2) throw new UsageError("a bundle and a document are needed");
  return { files, options };
}

/** The SHA-256 of a file of any size. */
async function fileHash(path) {
  const { createHash } = await import("node:crypto");
  const { createReadStream } = await import("node:fs");
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

function nodeAt(url) {
  return async (method, params) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    }).catch((error) => refuse(`the node does not answer (${error.cause?.message ?? error.message})`));
    const answer = await response.json().catch(() => refuse("the node's answer is not JSON"));
    if (answer.error !== undefined || answer.result === undefined)
      refuse(`the node refuses to answer: ${answer.error?.message}`);
    return answer.result;
  };
}

/** Whether this file was started as a program. */
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
