import { assert } from "chai";
import fc from "fast-check";
import { sealKeys, unsealKeys, wrapSecureKey } from "../../../server/sessions/key-encryption.ts";

const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const keys = fc.record({ secureKey: key, signingKey: key });
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

describe("sealing of a session's keys", function () {
  it("opens with the token it was made with", () => {
    fc.assert(
      fc.property(key, keys, (token, sealed) => {
        const opened = unsealKeys(token, sealKeys(token, sealed));
        assert.isTrue(same(opened.secureKey, sealed.secureKey) && same(opened.signingKey, sealed.signingKey));
      }),
    );
  });

  it("opens with no other token", () => {
    fc.assert(
      fc.property(key, key, keys, (token, other, sealed) => {
        fc.pre(!same(token, other));
        assert.throws(() => unsealKeys(other, sealKeys(token, sealed)));
      }),
    );
    fc.assert(
      fc.property(key, fc.nat(255), keys, (token, bit, sealed) => {
        const almost = Uint8Array.from(token);
        almost[bit >> 3] = (almost[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        assert.throws(() => unsealKeys(almost, sealKeys(token, sealed)));
      }),
    );
  });

  it("does not open once a bit of it was changed, or its end is missing", () => {
    fc.assert(
      fc.property(key, keys, fc.nat(), fc.boolean(), (token, inside, place, first) => {
        const sealed = sealKeys(token, inside);
        const part = Uint8Array.from(first ? sealed.wrappedSecureKey : sealed.sealedSigningKey);
        const bit = place % (part.length * 8);
        part[bit >> 3] = (part[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const with_ = (changed: Uint8Array) =>
          first ? { ...sealed, wrappedSecureKey: changed } : { ...sealed, sealedSigningKey: changed };
        assert.throws(() => unsealKeys(token, with_(part)));
        for (const length of [0, 1, 12, 28, part.length - 1]) {
          assert.throws(() =>
            unsealKeys(token, with_((first ? sealed.wrappedSecureKey : sealed.sealedSigningKey).subarray(0, length))),
          );
        }
      }),
      { numRuns: 50 },
    );
  });

  it("goes to a new token by its secure key alone, and the old one keeps opening only its own", () => {
    fc.assert(
      fc.property(key, key, keys, (token, next, inside) => {
        fc.pre(!same(token, next));
        const sealed = sealKeys(token, inside);
        const moved = { ...sealed, wrappedSecureKey: wrapSecureKey(next, inside.secureKey) };
        assert.isTrue(same(unsealKeys(next, moved).signingKey, inside.signingKey));
        assert.throws(() => unsealKeys(token, moved));
      }),
    );
  });

  it("is never the same twice, and shows nothing of what is inside", () => {
    fc.assert(
      fc.property(key, keys, (token, inside) => {
        const [one, two] = [sealKeys(token, inside), sealKeys(token, inside)];
        assert.isFalse(same(one.wrappedSecureKey, two.wrappedSecureKey));
        assert.isFalse(same(one.sealedSigningKey, two.sealedSigningKey));
        for (const part of [one.wrappedSecureKey, one.sealedSigningKey]) {
          for (const secret of [token, inside.secureKey, inside.signingKey])
            assert.isFalse(Buffer.from(part).includes(Buffer.from(secret)));
        }
      }),
    );
  });
});
