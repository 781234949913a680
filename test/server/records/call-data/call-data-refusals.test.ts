import { assert } from "chai";
import { Interface } from "ethers";
import fc from "fast-check";
import { bzip2 } from "../../../../server/records/bzip2.ts";
import {
  decodeCallData,
  type DecodedCallData,
  encodeCallData,
  type RowFunction,
} from "../../../../server/records/call-data.ts";
import { SealbookError } from "../../../../server/errors.ts";
import { refusal } from "../../../support/refusal.ts";
import { callDataVectors } from "../../../vectors/calldata/vectors.ts";

const abi = new Interface(["function set(string, uint256, bytes, bool, string)"]);
const FILECHAIN = "1|0x00a329c0648769a73afac7f9381e08fb43dbea72|c|d|e30=|t|1";
const WORD = 64;
const HUGE = 2n ** 255n;

/** Call data of a set, with one argument replaced. */
function set(change: { tabname?: string; rowdata?: Uint8Array; comp?: boolean } = {}): string {
  const { tabname = "events", rowdata = Buffer.from(FILECHAIN), comp = false } = change;
  return abi.encodeFunctionData("set", [tabname, 1n, rowdata, comp, "0xsignature"]);
}

/** Where a word of the arguments begins in the text. */
function at(word: number): number {
  return "0x".length + 8 + word * WORD;
}

function withWord(data: string, word: number, value: bigint): string {
  return data.slice(0, at(word)) + value.toString(16).padStart(WORD, "0") + data.slice(at(word + 1));
}

/** Decodes, or gives nothing for what is refused as malformed. */
function decoded(data: string): DecodedCallData | undefined {
  try {
    return decodeCallData(data);
  } catch (error) {
    if (error instanceof SealbookError && error.code === "malformed" && error.details?.length === 1) return undefined;
    throw error;
  }
}

// Words of the arguments: 0 to 4 heads, 5 and 6 tabname, 7 to 9 rowdata (57 bytes), 10 and 11 signature.
describe("invalid call data", () => {
  const good = set();
  const whole = (good.length - "0x".length - 8) / 2;

  it("differ from the vectors", () => assert.equal(decodeCallData(good, "set").filechain, FILECHAIN));

  const cases: [what: string, data: string, path: string, message: string | RegExp, name?: RowFunction][] = [
    ["no prefix", good.slice(2), "inputdata", "does not start with 0x"],
    ["an upper-case prefix", good.replace("0x", "0X"), "inputdata", "does not start with 0x"],
    ["an odd number of digits", `${good}0`, "inputdata", "odd number of hexadecimal digits"],
    ["a letter that is no digit", good.replace("0xf6", "0xg6"), "inputdata", /position 2 is not a hexadecimal digit/],
    ["a letter that looks like a digit", `${good.slice(0, -1)}\u0130`, "inputdata", /is not a hexadecimal digit/],
    ["a line break", `${good}\n0`, "inputdata", /is not a hexadecimal digit/],
    ["nothing", "0x", "inputdata", "0 bytes are too short for a selector"],
    ["half a selector", "0xf609", "inputdata", "2 bytes are too short for a selector"],
    ["the other function", good, "inputdata", "selector 0xf609bacf (set) is not that of insert (0x4bd06e05)", "insert"],
    [
      "another function",
      `0xdeadbeef${good.slice(10)}`,
      "inputdata",
      "selector 0xdeadbeef is not that of set (0xf609bacf)",
      "set",
    ],
    [
      "an unknown function",
      `0xdeadbeef${good.slice(10)}`,
      "inputdata",
      "selector 0xdeadbeef is neither that of set nor that of insert",
    ],
    ["nothing but a selector", "0xf609bacf", "tabname", "cut short: its head word is not whole"],
    ["heads cut short", good.slice(0, at(4) + 2), "signature", "cut short: its head word is not whole"],
    ["no tails", good.slice(0, at(5)), "tabname", "cut short: its length word is not whole"],
    ["a length cut short", good.slice(0, at(7) + 2), "rowdata", "cut short: its length word is not whole"],
    ["data cut short", good.slice(0, at(8) + 2), "rowdata", "cut short: 1 bytes left of a length of 57"],
    ["padding cut short", good.slice(0, -2), "signature", "cut short: its padding is not whole"],
    ["a byte too many", `${good}00`, "inputdata", `overlong: arguments end at ${whole} of ${whole + 1} bytes`],
    [
      "a word too many",
      good + "0".repeat(WORD),
      "inputdata",
      `overlong: arguments end at ${whole} of ${whole + 32} bytes`,
    ],
    ["padding that is not zero", `${good.slice(0, -1)}1`, "signature", "padding that is not zero"],
    ["a bool of 2", withWord(good, 3, 2n), "comp", "a bool is 0 or 1, not 2"],
    ["a bool of 2^255", withWord(good, 3, HUGE), "comp", `a bool is 0 or 1, not ${HUGE}`],
    [
      "an offset outside",
      withWord(good, 0, 10_000n),
      "tabname",
      "offset 10000 lies outside of the 384 bytes of arguments: 160 expected",
    ],
    [
      "an absurd offset",
      withWord(good, 2, HUGE),
      "rowdata",
      `offset ${HUGE} lies outside of the 384 bytes of arguments: 224 expected`,
    ],
    ["an offset that wraps around", withWord(good, 2, 2n ** 256n - 32n), "rowdata", /lies outside/],
    ["arguments that overlap", withWord(good, 4, 224n), "signature", "offset 224 is not canonical: 320 expected"],
    ["an offset into the heads", withWord(good, 0, 0n), "tabname", "offset 0 is not canonical: 160 expected"],
    ["an offset between two words", withWord(good, 2, 225n), "rowdata", "offset 225 is not canonical: 224 expected"],
    ["an absurd length", withWord(good, 7, HUGE), "rowdata", `cut short: 128 bytes left of a length of ${HUGE}`],
    ["a length one byte short", withWord(good, 7, 56n), "rowdata", "padding that is not zero"],
    [
      "a table name that is not UTF-8",
      good.replace(Buffer.from("events").toString("hex"), "ff".repeat(6)),
      "tabname",
      "is not UTF-8 text",
    ],
    [
      "a signature that is not UTF-8",
      good.replace(Buffer.from("0xsig").toString("hex"), "c3".repeat(5)),
      "signature",
      "is not UTF-8 text",
    ],
    ["row data that are not UTF-8", set({ rowdata: Buffer.of(0xff) }), "rowdata", "is not UTF-8 text"],
    ["row data not compressed as said", set({ comp: true }), "rowdata", "bad bzip2: the data are not a bzip2 stream"],
    [
      "no row data where compressed are said",
      set({ rowdata: Buffer.of(), comp: true }),
      "rowdata",
      "bad bzip2: the stream is truncated",
    ],
    [
      "compressed data and more",
      set({ rowdata: Buffer.concat([bzip2.compress(Buffer.from(FILECHAIN)), Buffer.of(0)]), comp: true }),
      "rowdata",
      "bad bzip2: there are bytes after the end of the stream",
    ],
    [
      "a bomb",
      set({ rowdata: bzip2.compress(new Uint8Array(9_000_000)), comp: true }),
      "rowdata",
      "bad bzip2: the stream expands to more than 131072 bytes",
    ],
    [
      "compressed data not marked as such",
      set({ rowdata: bzip2.compress(Buffer.from(FILECHAIN)) }),
      "rowdata",
      /UTF-8|segments/,
    ],
    ["no row data", set({ rowdata: Buffer.of() }), "rowdata", "1 segments instead of 7"],
    ["six segments", set({ rowdata: Buffer.from(FILECHAIN.slice(0, -2)) }), "rowdata", "6 segments instead of 7"],
    ["eight segments", set({ rowdata: Buffer.from(`${FILECHAIN}|`) }), "rowdata", "8 segments instead of 7"],
    [
      "a payload that is not base64",
      set({ rowdata: Buffer.from(FILECHAIN.replace("e30=", "e30")) }),
      "rowdata.payload",
      "is not base64",
    ],
    [
      "a payload that is not JSON",
      set({ rowdata: Buffer.from(FILECHAIN.replace("e30=", "e30x")) }),
      "rowdata.payload",
      "is not JSON",
    ],
  ];
  for (const [what, data, path, message, name] of cases) {
    it(what, () => {
      const fault = refusal(() => decodeCallData(data, name));
      assert.equal(fault.path, path, fault.message);
      if (typeof message === "string") assert.equal(fault.message, message);
      else assert.match(fault.message, message);
    });
  }

  it("are rejected when truncated, at every byte", () => {
    for (const { inputdata } of callDataVectors()) {
      for (let end = inputdata.length - 2; end >= 2; end -= 2) refusal(() => decodeCallData(inputdata.slice(0, end)));
    }
  });

  it("are detected for every flipped bit", () => {
    const before = JSON.stringify(decodeCallData(good).transaction);
    for (let digit = 2; digit < good.length; digit++) {
      for (const bit of [1, 2, 4, 8]) {
        const other = (Number.parseInt(good.charAt(digit), 16) ^ bit).toString(16);
        const flipped = good.slice(0, digit) + other + good.slice(digit + 1);
        const result = decoded(flipped);
        if (result === undefined) continue;
        assert.equal(encodeCallData(result.function, result.arguments), flipped);
        assert.notEqual(JSON.stringify(result.transaction), before);
      }
    }
  });

  it("are rejected with any replaced words, or canonical for their content", () => {
    const value = fc.oneof(
      fc.constantFrom(0n, 1n, 2n, 6n, 32n, 57n, 64n, 160n, 224n, 256n, 320n, 2n ** 32n, 2n ** 53n, 2n ** 64n, HUGE),
      fc.bigInt({ min: 0n, max: 400n }),
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    );
    const changes = fc.array(fc.tuple(fc.nat(11), value), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(changes, (words) => {
        const data = words.reduce((text, [word, content]) => withWord(text, word, content), good);
        const result = decoded(data);
        if (result !== undefined) assert.equal(encodeCallData(result.function, result.arguments), data);
      }),
      { numRuns: 2000 },
    );
  });

  it("are rejected for random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        refusal(() => decodeCallData(`0xf609bacf${Buffer.from(bytes).toString("hex")}`));
      }),
    );
  });
});
