import { assert } from "chai";
import { decodeCallData, encodeCallData } from "../../../server/records/call-data.ts";
import { duplicateKeyWarnings } from "../../../scripts/decode/duplicate-key-warnings.ts";
import { payloadText, withWrittenNumbers } from "../../../server/records/payload-text.ts";

/** Decodes a row of another system with this payload. */
function decoded(payload: string) {
  const rowdata = Buffer.from(`1|s|c|d|${Buffer.from(payload).toString("base64")}|t|1`);
  return decodeCallData(encodeCallData("set", { tabname: "t", rowid: 1n, rowdata, comp: false, signature: "" }));
}

describe("the payload of a decoded row", () => {
  const NUMBERS = '{"ü":[1.0,-0,1e400,123456789012345678901234567890,0.1000000000000000055],"a":{"b":12}}';

  it("has its text", () => assert.equal(payloadText(decoded(NUMBERS).row.payloadBase64), NUMBERS));

  it("is written with the numbers of the row", () => {
    const { row, transaction } = withWrittenNumbers(decoded(NUMBERS));
    assert.equal(JSON.stringify(row.payload), NUMBERS);
    assert.equal(JSON.stringify(transaction.rowdata.payload), NUMBERS);
  });

  it("is otherwise the same", () => {
    const plain = decoded('{"b":{"__proto__":1},"a":["x",null,true,1.5]}');
    assert.deepEqual(withWrittenNumbers(plain), plain);
  });

  it("can be nested as deeply as decoding accepts", () => {
    const text = `${'{"a":'.repeat(128)}1.0${"}".repeat(128)}`;
    assert.equal(JSON.stringify(withWrittenNumbers(decoded(text)).row.payload), text);
  });

  it("has no warning without duplicate keys", () =>
    assert.isEmpty(duplicateKeyWarnings(decoded(NUMBERS).row.payloadBase64)));

  it("has the last value of duplicate keys, with a warning for each", () => {
    const { row } = withWrittenNumbers(decoded('{"a":1.0,"b":[{"c":1,"\\u0063":2.0}],"a":3.0}'));
    assert.equal(JSON.stringify(row.payload), '{"a":3.0,"b":[{"c":2.0}]}');
    assert.deepEqual(duplicateKeyWarnings(row.payloadBase64), [
      "payload.b.0.c: the key appears twice; the last value is shown",
      "payload.a: the key appears twice; the last value is shown",
    ]);
  });

  it("has at most ten warnings", () => {
    assert.lengthOf(duplicateKeyWarnings(decoded(`{${'"a":0,'.repeat(100)}"a":1}`).row.payloadBase64), 10);
  });
});
