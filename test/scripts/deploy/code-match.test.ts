import { assert } from "chai";
import { matchCode } from "../../../scripts/deploy/origin.ts";

/** Four bytes of instructions, an immutable variable of two, compiler's data of three and its length. */
const CODE = "0x60016002aaaa112233" + "0003";
const built = {
  deployedBytecode: "0x6001600200001122330003",
  immutableReferences: { "7": [{ start: 4, length: 2 }] },
};

describe("code on chain", () => {
  it("is that of the build whatever the values of immutable variables and the case of digits", () => {
    assert.equal(matchCode(CODE, built), "same");
    assert.equal(matchCode(CODE.toUpperCase().replace("0X", "0x"), built), "same");
  });

  it("differs in its sources only when the compiler's data differs, also in length", () => {
    assert.equal(matchCode(CODE.replace("112233", "112234"), built), "other_sources");
    assert.equal(matchCode("0x60016002aaaa11223344550005", built), "other_sources");
  });

  it("is different when an instruction differs, is missing or added", () => {
    assert.equal(matchCode(CODE.replace("6002", "6003"), built), "different");
    assert.equal(matchCode("0x6001aaaa1122330003", built), "different");
    assert.equal(matchCode("0x60016002aaaa00" + "1122330003", built), "different");
    assert.equal(matchCode("0x", built), "different");
    assert.equal(matchCode("0xffff", built), "different");
  });
});
