import { createHash } from "node:crypto";
import { assert } from "chai";
import fc from "fast-check";
import { LogRoot } from "../../../server/recovery/running-verification.ts";

const sha256 = (...parts: Uint8Array[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();

/** As RFC 6962 writes it down. */
function merkleTreeHash(texts: readonly string[]): Buffer {
  const [first = ""] = texts;
  if (texts.length === 0) return sha256();
  if (texts.length === 1) return sha256(Buffer.from([0]), Buffer.from(first));
  let k = 1;
  while (k * 2 < texts.length) k *= 2;
  return sha256(Buffer.from([1]), merkleTreeHash(texts.slice(0, k)), merkleTreeHash(texts.slice(k)));
}

function rootOf(texts: readonly string[]): string {
  const root = new LogRoot();
  for (const text of texts) root.add(text);
  return Buffer.from(root.value).toString("hex");
}

describe("root over a log", () => {
  it("matches RFC 6962 for every length", () => {
    const texts = Array.from({ length: 130 }, (_, n) => `row ${n}`);
    for (let length = 0; length <= texts.length; length += 1) {
      assert.equal(
        rootOf(texts.slice(0, length)),
        merkleTreeHash(texts.slice(0, length)).toString("hex"),
        `${length} rows`,
      );
    }
  });

  it("matches RFC 6962 for every text", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 40 }), (texts) => {
        assert.equal(rootOf(texts), merkleTreeHash(texts.map((text) => text)).toString("hex"));
      }),
    );
  });

  it("is that of an empty log at first, and is available at any time", () => {
    const root = new LogRoot();
    assert.equal(
      Buffer.from(root.value).toString("hex"),
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    root.add("a");
    const early = root.value;
    root.add("b");
    assert.deepEqual(Buffer.from(early), merkleTreeHash(["a"]));
    assert.deepEqual(Buffer.from(root.value), merkleTreeHash(["a", "b"]));
  });
});
