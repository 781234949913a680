import { assert } from "chai";
import fc from "fast-check";
import { decryptKeys, encryptKeys, wrapSecureKey } from "../../../server/sessions/key-vault.ts";

const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const keys = fc.record({ secureKey: key, signingKey: key });
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

describe("encryption of a session's keys", function () {
  it("decrypts with its own token", () => {
    fc.assert(
      fc.property(key, keys, (token, inside) => {
        const opened = decryptKeys(token, encryptKeys(token, inside));
        assert.isTrue(same(opened.secureKey, inside.secureKey) && same(opened.signingKey, inside.signingKey));
      }),
    );
  });

  // Security, database copy: cannot decrypt the keys of a session without its token
  it("rejects any other token", () => {
    fc.assert(
      fc.property(key, key, keys, (token, other, inside) => {
        fc.pre(!same(token, other));
        assert.throws(() => decryptKeys(other, encryptKeys(token, inside)));
      }),
    );
    fc.assert(
      fc.property(key, fc.nat(255), keys, (token, bit, inside) => {
        const almost = Uint8Array.from(token);
        almost[bit >> 3] = (almost[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        assert.throws(() => decryptKeys(almost, encryptKeys(token, inside)));
      }),
    );
  });

  it("rejects a changed bit, and truncation", () => {
    fc.assert(
      fc.property(key, keys, fc.nat(), fc.boolean(), (token, inside, position, first) => {
        const encrypted = encryptKeys(token, inside);
        const part = Uint8Array.from(first ? encrypted.wrappedSecureKey : encrypted.encryptedSigningKey);
        const bit = position % (part.length * 8);
        part[bit >> 3] = (part[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const with_ = (changed: Uint8Array) =>
          first ? { ...encrypted, wrappedSecureKey: changed } : { ...encrypted, encryptedSigningKey: changed };
        assert.throws(() => decryptKeys(token, with_(part)));
        for (const length of [0, 1, 12, 28, part.length - 1]) {
          assert.throws(() =>
            decryptKeys(
              token,
              with_((first ? encrypted.wrappedSecureKey : encrypted.encryptedSigningKey).subarray(0, length)),
            ),
          );
        }
      }),
      { numRuns: 50 },
    );
  });

  it("re-encrypts for a new token with the secure key alone, and the old token decrypts only its own", () => {
    fc.assert(
      fc.property(key, key, keys, (token, next, inside) => {
        fc.pre(!same(token, next));
        const encrypted = encryptKeys(token, inside);
        const moved = { ...encrypted, wrappedSecureKey: wrapSecureKey(next, inside.secureKey) };
        assert.isTrue(same(decryptKeys(next, moved).signingKey, inside.signingKey));
        assert.throws(() => decryptKeys(token, moved));
      }),
    );
  });

  it("is never the same twice, and reveals nothing of its content", () => {
    fc.assert(
      fc.property(key, keys, (token, inside) => {
        const [one, two] = [encryptKeys(token, inside), encryptKeys(token, inside)];
        assert.isFalse(same(one.wrappedSecureKey, two.wrappedSecureKey));
        assert.isFalse(same(one.encryptedSigningKey, two.encryptedSigningKey));
        for (const part of [one.wrappedSecureKey, one.encryptedSigningKey]) {
          for (const secret of [token, inside.secureKey, inside.signingKey])
            assert.isFalse(Buffer.from(part).includes(Buffer.from(secret)));
        }
      }),
    );
  });
});
