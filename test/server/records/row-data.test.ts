import { assert } from "chai";
import fc from "fast-check";
import type { JsonObject } from "../../../server/kit/json.ts";
import { decodeRowData, encodeRowData, type NewRow } from "../../../server/records/row-data.ts";
import { refusal } from "../../support/refusal.ts";

const SENDER = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A";
const ROW: NewRow = {
  rowId: 1n,
  sender: SENDER,
  code: "code",
  createdAt: new Date("2024-02-29T23:59:59.999Z"),
  payload: { a: 1 },
  topic: "topic",
};

/** Row data whose payload segment is this. */
function withPayload(segment: string): string {
  return ["1", SENDER, "c", "d", segment, "t", "1"].join("|");
}

function base64(text: string | Uint8Array): string {
  return Buffer.from(text).toString("base64");
}

describe("row data", () => {
  it("have seven segments", () => {
    assert.equal(encodeRowData(ROW), `1|${SENDER}|code|Thu, 29 Feb 2024 23:59:59 GMT|eyJhIjoxfQ==|topic|1`);
  });

  it("encode bars and percent signs of code and topic as percent codes", () => {
    const text = encodeRowData({ ...ROW, code: "a|b%7C", topic: "100%|" });
    assert.deepEqual([text.split("|")[2], text.split("|")[5]], ["a%7Cb%257C", "100%25%7C"]);
  });

  it("round-trip", () => {
    const text = fc.string({ unit: "binary", maxLength: 40 });
    const tricky = fc.array(fc.constantFrom("|", "%", "%7C", "%25", "%7c", "7C", "25", "é", "\n"), { maxLength: 9 });
    const free = fc.oneof(
      text,
      tricky.map((parts) => parts.join("")),
    );
    const date = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") });
    const payload = fc
      .dictionary(fc.string(), fc.jsonValue())
      .map((value): JsonObject => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        free,
        free,
        date,
        payload,
        (rowId, code, topic, createdAt, payload) => {
          const row = decodeRowData(encodeRowData({ rowId, sender: SENDER, code, createdAt, payload, topic }));
          const { payloadBase64, ...rest } = row;
          assert.deepEqual(rest, {
            rowId: rowId.toString(),
            sender: SENDER,
            code,
            createdAt: createdAt.toUTCString(),
            payload,
            topic,
            format: "1",
          });
          assert.deepEqual(JSON.parse(Buffer.from(payloadBase64, "base64").toString()), payload);
        },
      ),
    );
  });

  it("of other systems keep their text", () => {
    const row = decodeRowData(`x|y|5%|tomorrow|${base64('{"a":"é|"}')}|%zz%7c%2|?`);
    assert.deepEqual(row, {
      rowId: "x",
      sender: "y",
      code: "5%",
      createdAt: "tomorrow",
      payload: { a: "é|" },
      payloadBase64: base64('{"a":"é|"}'),
      topic: "%zz|%2",
      format: "?",
    });
  });

  for (const count of [1, 2, 6, 8, 9]) {
    it(`of ${count} segments are rejected`, () => {
      const segments = ["1", SENDER, "c", "d", "e30=", "t", "1", "8", "9"].slice(0, count).join("|");
      assert.deepEqual(
        refusal(() => decodeRowData(segments)),
        {
          path: "rowdata",
          message: `${count} segments instead of 7`,
        },
      );
    });
  }

  const badPayloads: [what: string, segment: string, message: string][] = [
    ["empty", "", "is not JSON"],
    ["without padding", "e30", "is not base64"],
    ["of the URL alphabet", "eyJhIjoiw7_Dvz8_In0=", "is not base64"],
    ["with a line break", "e3\n0=", "is not base64"],
    ["with stray bits", "e31=", "is not base64"],
    ["of bytes that are not UTF-8", base64(Buffer.from('{"a":"\xff"}', "latin1")), "is not UTF-8 text"],
    ["cut short", base64('{"a":'), "is not JSON"],
    ["with a byte order mark", base64("\ufeff{}"), "is not JSON"],
    ["a list", base64("[]"), "is JSON but not an object"],
    ["null", base64("null"), "is JSON but not an object"],
    ["a text", base64('"a"'), "is JSON but not an object"],
  ];
  for (const [what, segment, message] of badPayloads) {
    it(`with a payload ${what} are rejected`, () => {
      assert.deepEqual(
        refusal(() => decodeRowData(withPayload(segment))),
        { path: "rowdata.payload", message },
      );
    });
  }

  const badRows: [what: string, change: Partial<NewRow>, path: string][] = [
    ["a negative row id", { rowId: -1n }, "rowId"],
    ["a sender that is no address", { sender: "0x12|34" }, "sender"],
    ["an invalid date", { createdAt: new Date(NaN) }, "createdAt"],
    ["half of a surrogate pair in the code", { code: "\ud83d" }, "code"],
    ["half of a surrogate pair in the topic", { topic: "a\ude00" }, "topic"],
    ["an infinite number in the payload", { payload: { a: [Infinity] } }, "payload"],
  ];
  for (const [what, change, path] of badRows) {
    it(`are not written with ${what}`, () => {
      assert.equal(refusal(() => encodeRowData({ ...ROW, ...change })).path, path);
    });
  }
});
