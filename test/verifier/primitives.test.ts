import { createHash } from "node:crypto";
import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { computeAddress, concat, getBytes, keccak256 as ethersKeccak, SigningKey } from "ethers";
import fc from "fast-check";
import { canonicalJson as serverJson } from "../../server/kit/json.ts";
import { merkleTree } from "../../server/journal/integrity/merkle.ts";
import {
  canonicalJson,
  decodeRlp,
  encodeRlp,
  fromHex,
  keccak256,
  leafOf,
  parseValidators,
  pathLength,
  printable,
  provenValue,
  recoverAddress,
  VerificationError,
  rootOf,
  sha256,
  toHex,
} from "../../verifier/verify.mjs";

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
type Item = Uint8Array | Item[];
const items: fc.Arbitrary<Item> = fc.letrec<{ item: Item }>((tie) => ({
  item: fc.oneof({ maxDepth: 4 }, fc.uint8Array({ maxLength: 80 }), fc.array(tie("item"), { maxLength: 6 })),
})).item;

// What the verifier does by itself, against libraries that do the same.
describe("the verifier's cryptography", () => {
  it("hashes with keccak-256 as ethers does, around every length of a block", () => {
    for (let length = 0; length < 300; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) % 256);
      expect(`0x${toHex(keccak256(bytes))}`).to.equal(ethersKeccak(bytes));
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        expect(`0x${toHex(keccak256(bytes))}`).to.equal(ethersKeccak(bytes));
      }),
    );
  });

  it("hashes with SHA-256 as Node does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
        expect(toHex(await sha256(bytes))).to.equal(createHash("sha256").update(bytes).digest("hex"));
      }),
    );
  });

  it("recovers signers as ethers does", () => {
    fc.assert(
      fc.property(hash, hash, (secret, digest) => {
        fc.pre(secret.some((byte) => byte !== 0) && secret[0] !== 0xff);
        const key = new SigningKey(secret);
        const { r, s, yParity } = key.sign(digest);
        const signature = getBytes(concat([r, s, Uint8Array.of(yParity)]));
        expect(recoverAddress(digest, signature)).to.equal(computeAddress(key).toLowerCase());
      }),
      { numRuns: 60 },
    );
  });

  it("rejects invalid signatures", () => {
    const order = fromHex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    const one = fromHex("00".repeat(31) + "01");
    const zero = new Uint8Array(32);
    // 5 is no x of a point on the curve.
    const off = fromHex("00".repeat(31) + "05");
    for (const parts of [
      [zero, one, [0]],
      [one, zero, [0]],
      [order, one, [0]],
      [one, order, [0]],
      [one, one, [2]],
      [off, one, [0]],
      [one, one],
    ]) {
      const signature = Uint8Array.from(parts.flatMap((part) => [...part]));
      expect(() => recoverAddress(one, signature)).to.throw(VerificationError);
    }
  });

  it("decodes and encodes RLP as the library does", () => {
    fc.assert(
      fc.property(items, (item) => {
        const encoded = encodeRlp(item);
        expect(encoded).to.deep.equal(RLP.encode(item));
        expect(decodeRlp(encoded)).to.deep.equal(item);
      }),
    );
  });

  it("rejects RLP that is not canonical", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        let item;
        try {
          item = decodeRlp(bytes);
        } catch (error) {
          expect(error).to.be.instanceOf(VerificationError);
          return;
        }
        expect(encodeRlp(item)).to.deep.equal(bytes);
      }),
      { numRuns: 2000 },
    );
    for (const wrong of [
      "8105",
      "b801ff",
      "b80100",
      "b90001ff",
      "c18105",
      "f800",
      "8000",
      "82ff",
      "bfffffffffffffffff",
      "",
    ]) {
      expect(() => decodeRlp(fromHex(wrong)), wrong).to.throw(VerificationError);
    }
  });

  it("computes the roots and lengths of the server's audit paths", () => {
    for (const size of [1, 2, 3, 4, 5, 6, 7, 8, 9, 33, 100]) {
      const hashes = Array.from({ length: size }, (_, index) => keccak256(Uint8Array.of(index)));
      const tree = merkleTree(hashes);
      for (const [index, recorded] of hashes.entries()) {
        expect(toHex(rootOf(leafOf(recorded), tree.path(index)))).to.equal(toHex(tree.root));
        expect(pathLength(index, size)).to.equal(tree.path(index).length);
      }
    }
  });

  it("writes canonical JSON as the server does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(serverJson(value)).to.equal(text);
        expect(canonicalJson(JSON.parse(text))).to.equal(text);
      }),
    );
    expect(
      serverJson({ b: 1, a: { d: [1, "ü\u2028", null], c: true }, "\u{1f600}": 0, "\ufb33": 1, no: undefined }),
    ).to.equal('{"a":{"c":true,"d":[1,"ü\u2028",null]},"b":1,"\u{1f600}":0,"\ufb33":1}');
  });

  it("rejects invalid trie nodes", () => {
    const prove = (...proof: Uint8Array[]) =>
      provenValue(keccak256(proof[0] ?? new Uint8Array()), Uint8Array.of(0x12), proof);
    const value = Uint8Array.of(7);
    expect(prove(encodeRlp([Uint8Array.of(0x20, 0x12), value]))).to.deep.equal(value);
    for (const pair of [[0x20, 0x13], [0x20, 0x12, 0x34], [0x21], [0x3f, 0x12], [0x40, 0x12], [0x25, 0x12], []]) {
      expect(() => prove(encodeRlp([Uint8Array.from(pair), value])), String(pair)).to.throw(VerificationError);
    }
    expect(() => prove()).to.throw(VerificationError);
    expect(() => prove(encodeRlp([Uint8Array.of(0x20, 0x12), value]), encodeRlp([]))).to.throw(VerificationError);
    expect(() => prove(encodeRlp([Uint8Array.of(0x20, 0x12), new Uint8Array()]))).to.throw(VerificationError);
  });

  it("parses lists of validators, and rejects other text", () => {
    const [a, b] = [`0x${"aB".repeat(20)}`, `0x${"01".repeat(20)}`];
    expect(parseValidators(`${a}\n${b}\n`)).to.deep.equal([a, b]);
    expect(parseValidators(JSON.stringify([a, b]))).to.deep.equal([a, b]);
    expect(() => parseValidators("0x12")).to.throw(VerificationError);
    expect(() => parseValidators("[1]")).to.throw(VerificationError);
  });

  it("escapes characters that show nothing", () => {
    for (const character of [0x3164, 0x115f, 0x1160, 0xffa0, 0x2800, 0x034f, 0xfe00, 0xfe0f, 0xe0100, 0x180b, 0x200b])
      expect(printable(`a${String.fromCodePoint(character)}b`)).to.equal(`a\\u{${character.toString(16)}}b`);
    expect(printable("e\u0301 \u2801 ❤")).to.equal("e\u0301 \u2801 ❤");
  });

  it("escapes control characters", () => {
    expect(printable('"a\u001b[31m ü\u202e漢"')).to.equal('"a\\u{1b}[31m ü\\u{202e}漢"');
  });
});
