import { assert } from "chai";
import { packRowData, unpackRowData, type Bzip2 } from "../../../server/records/compression.ts";
import { SealbookError } from "../../../server/errors.ts";
import { refusal } from "../../support/refusal.ts";

/** A codec whose results are given, to see the rule alone. */
function codec(result: Uint8Array): Bzip2 {
  return { compress: () => result, decompress: () => result };
}

describe("compression rule", () => {
  it("keeps the compressed form only when it is smaller", () => {
    assert.deepEqual(packRowData("é1", codec(new Uint8Array(2))), { rowdata: new Uint8Array(2), comp: true });
    for (const size of [3, 4]) {
      const packed = packRowData("é1", codec(new Uint8Array(size)));
      assert.isFalse(packed.comp);
      assert.equal(Buffer.from(packed.rowdata).toString(), "é1");
    }
  });

  it("keeps a byte order mark", () => {
    assert.equal(unpackRowData({ rowdata: Buffer.from("\ufeffa"), comp: false }, codec(Buffer.of())), "\ufeffa");
  });

  it("reports invalid compressed data, and passes on failures of the codec", () => {
    const failing = (error: Error): Bzip2 => ({
      ...codec(Buffer.of()),
      decompress: () => {
        throw error;
      },
    });
    const stored = { rowdata: Buffer.of(), comp: true };
    const fault = refusal(() => unpackRowData(stored, failing(new SealbookError("malformed", "cut short"))));
    assert.deepEqual(fault, { path: "rowdata", message: "bad bzip2: cut short" });
    const broken = new SealbookError("internal", "out of order");
    try {
      unpackRowData(stored, failing(broken));
      assert.fail("accepted");
    } catch (error) {
      assert.strictEqual(error, broken);
    }
  });
});
