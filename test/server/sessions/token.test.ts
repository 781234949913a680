import { assert } from "chai";
import { generatePassword, parseToken, randomKey, tokenHash } from "../../../server/sessions/session.ts";
import { prefixedHex } from "../../../server/kit/bytes.ts";
import { SealbookError } from "../../../server/errors.ts";

describe("tokens", function () {
  it("have 32 bytes, are unique, and are parsed from their text in any case", () => {
    const all = new Set<string>();
    for (let n = 0; n < 1_000; n += 1) {
      const token = randomKey();
      assert.lengthOf(token, 32);
      const text = prefixedHex(token);
      assert.match(text, /^0x[0-9a-f]{64}$/);
      assert.equal(Buffer.compare(parseToken(text), token), 0);
      assert.equal(Buffer.compare(parseToken(`0x${text.slice(2).toUpperCase()}`), token), 0);
      all.add(text);
    }
    assert.equal(all.size, 1_000);
  });

  it("have their keccak-256 on the chain", () => {
    // Of 32 zero bytes; from the Ethereum yellow paper's tests.
    assert.equal(
      prefixedHex(tokenHash(new Uint8Array(32))),
      "0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563",
    );
  });

  it("are rejected as invalid in any other form", () => {
    for (const text of [
      "",
      "0x",
      "ab".repeat(32),
      `0X${"ab".repeat(32)}`,
      `0x${"ab".repeat(31)}`,
      `0x${"ab".repeat(33)}`,
      `0x${"zz".repeat(32)}`,
      `0x${"ab".repeat(32)}\n`,
    ]) {
      try {
        parseToken(text);
        assert.fail(`took ${JSON.stringify(text)}`);
      } catch (error) {
        assert.instanceOf(error, SealbookError);
        assert.equal(error.code, "token_invalid");
      }
    }
  });
});

describe("passwords", function () {
  // Security, database copy: can try passwords, each at 128 MiB and 1/3 s; generated passwords have 116 bits
  it("have twenty unambiguous characters and are unique", () => {
    const all = new Set(Array.from({ length: 1_000 }, generatePassword));
    assert.equal(all.size, 1_000);
    for (const password of all) assert.match(password, /^[a-km-zA-HJ-NP-Z2-9]{20}$/);
  });
});
