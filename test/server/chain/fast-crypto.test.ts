import { expect } from "chai";
import { computeAddress, hexlify, keccak256, recoverAddress, SigningKey } from "ethers";
import fc from "fast-check";
import reference from "keccak256";
import { signDigest, useFastKeccak } from "../../../server/chain/fast-crypto.ts";

describe("ethers with the fast Keccak", () => {
  before(() => useFastKeccak());

  it("hashes as before", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(keccak256(bytes)).to.equal(hexlify(reference(Buffer.from(bytes))));
      }),
    );
  });
});

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe("signDigest", () => {
  it("returns the deterministic signature of RFC 6979, as ethers does", () => {
    fc.assert(
      fc.property(bytes32, bytes32, (digest, key) => {
        // Keys are 1 to the order of the curve, which starts with 15 bytes of ones.
        fc.pre(key.some((byte) => byte !== 0) && key[0] !== 0xff);
        const signature = signDigest(hexlify(digest), key);
        expect(signature.serialized).to.equal(new SigningKey(hexlify(key)).sign(digest).serialized);
        expect(recoverAddress(digest, signature)).to.equal(computeAddress(hexlify(key)));
      }),
    );
  });

  it("rejects invalid keys and digests", () => {
    const digest = `0x${"11".repeat(32)}`;
    expect(() => signDigest(digest, new Uint8Array(32))).to.throw();
    expect(() => signDigest(digest, new Uint8Array(31).fill(1))).to.throw();
    expect(() => signDigest("0x11", new Uint8Array(32).fill(1))).to.throw();
  });
});
