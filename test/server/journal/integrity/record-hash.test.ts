import { assert } from "chai";
import { recordHash, type RecordHashInput } from "../../../../server/journal/integrity/record-hash.ts";

const HASH = Buffer.from("AB".repeat(32), "hex");

// Made with: printf '%s' "$text" | sha256sum
const VECTORS: readonly (readonly [parts: Omit<RecordHashInput, "hash">, hash: string])[] = [
  [
    { documentId: "contract-1", timestamp: 1700000000, type: "contract" },
    "e60aa4754bcb93445fcc46003fac69c31dbf400f6650dc47331e228b0ee5f5e1",
  ],
  [{ documentId: "d", timestamp: 0, type: "" }, "f0733aecf0ac6164139b50ace11cbcd6a31c6be30f9a08bc24253370f46e139c"],
  [
    { documentId: "Договір №1/ü😀", timestamp: 9007199254740991, type: "журнал" },
    "96ff4f3c20baba18a93b668d800f1890385b9c4dca80a5172f3d390ddfefc2ec",
  ],
  [
    { documentId: "a b%|", timestamp: 1, type: "x y" },
    "c99b5765fffb64d93f3938879dacbcd7361146ffca0560849c12d256042c3096",
  ],
];

describe("recorded hash", function () {
  for (const [parts, hash] of VECTORS) {
    it(`of ${JSON.stringify(parts)} is ${hash.slice(0, 8)}…`, () => {
      assert.equal(Buffer.from(recordHash({ ...parts, hash: HASH })).toString("hex"), hash);
    });
  }

  it("depends on every part", () => {
    const parts = { documentId: "d", timestamp: 1, type: "t", hash: HASH };
    const others = [
      parts,
      { ...parts, documentId: "e" },
      { ...parts, timestamp: 2 },
      { ...parts, type: "" },
      { ...parts, hash: Buffer.alloc(32) },
    ];
    assert.lengthOf(new Set(others.map((each) => Buffer.from(recordHash(each)).toString("hex"))), others.length);
  });
});
