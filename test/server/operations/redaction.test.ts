import { assert } from "chai";
import fc from "fast-check";
import { redact } from "../../../server/operations/node-log.ts";

const KEY = "5e".repeat(32);

describe("redaction of a log", function () {
  const cases: readonly (readonly [text: string, redacted: string])[] = [
    ["INFO block 12 0xabcdef0123456789 imported", "INFO block 12 0xabcdef0123456789 imported"],
    ["connecting to postgres://me:hunter2@db/x", "connecting to postgres://***@db/x"],
    ["wss://key@node.example/", "wss://***@node.example/"],
    ["password=hunter2 next", "password=*** next"],
    ['"private_key": "0x1234" next', '"private_key": *** next'],
    ["--rpc-api-key: abcdef", "--rpc-api-key: ***"],
    ["Authorization: Bearer abc.def", "Authorization: Bearer ***"],
    ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_x end", "token *** end"],
    ["enode://0123abcd@10.0.0.1:30303", "enode://***@10.0.0.1:30303"],
    [`loaded 0x${KEY}.`, "loaded 0x***."],
    [`loaded ${KEY.toUpperCase()}.`, "loaded ***."],
  ];
  for (const [text, redacted] of cases)
    it(`of ${JSON.stringify(text.slice(0, 50))}`, () => assert.equal(redact(text, [`0x${KEY}`]), redacted));

  it("removes every known secret at any position", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 80 }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!secret.startsWith("0x") && !"***".includes(secret) && !secret.includes("***"));
        assert.notInclude(redact(`${before}${secret}${after}`, [secret]).replaceAll("***", "\0"), secret);
      }),
    );
  });
});
