import { assert } from "chai";
import { Interface, Wallet } from "ethers";
import fc from "fast-check";
import { bzip2 } from "../../../../server/records/bzip2.ts";
import { decodeCallData, encodeCallData, type RowFunction } from "../../../../server/records/call-data.ts";
import { recoverSigner, recoverUnboundSigner, signRow } from "../../../../server/records/row-signature.ts";
import { packRowData } from "../../../../server/records/compression.ts";
import { encodeRowData } from "../../../../server/records/row-data.ts";
import { callDataVectors, type CallDataVector } from "../../../vectors/calldata/vectors.ts";

const SENDER = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A";
/** Stated by hand, so that the generated types are compared with the ABI as it is published. */
const abi = new Interface([
  "function set(string tabname, uint256 rowid, bytes rowdata, bool comp, string signature)",
  "function insert(string tabname, uint256 rowid, bytes rowdata, bool comp, string signature)",
]);

describe("call data vectors", () => {
  const vectors = callDataVectors();

  it("exist", () => assert.isAtLeast(vectors.length, 15));

  for (const vector of vectors) {
    describe(vector.name, () => {
      it("decodes", () => {
        const decoded = decodeCallData(vector.inputdata, vector.function);
        assert.equal(decoded.function, vector.function);
        assert.deepEqual(decoded.transaction, vector.transaction);
        const { payload, payloadBase64, ...row } = decoded.row;
        assert.deepEqual(row, vector.row);
        assert.deepEqual(payload, vector.transaction.rowdata.payload);
        assert.equal(payloadBase64, vector.transaction.rowdata.filechain.split("|")[4]);
        assert.equal(decoded.filechain, vector.transaction.rowdata.filechain);
        const { arguments: args } = decoded;
        const signer =
          vector.contract === undefined
            ? recoverUnboundSigner(args.rowdata, args.signature)
            : recoverSigner(args, args.signature, vector.contract);
        assert.equal(signer ?? null, vector.signer);
      });

      it("decodes without the function's selector, and in upper case", () => {
        const upper = `0x${vector.inputdata.slice(2).toUpperCase()}`;
        assert.deepEqual(decodeCallData(upper), decodeCallData(vector.inputdata, vector.function));
      });

      it("is encoded exactly", () => {
        const { arguments: args } = decodeCallData(vector.inputdata);
        assert.equal(encodeCallData(vector.function, args), vector.inputdata);
      });

      if (vector.record !== undefined) {
        const { record } = vector;
        it("matches its record", () => assert.equal(store(vector.function, record, vector.contract), vector.inputdata));
      }
    });
  }
});

function store(
  name: RowFunction,
  record: NonNullable<CallDataVector["record"]>,
  contract: CallDataVector["contract"],
): string {
  const rowId = BigInt(record.rowId);
  const createdAt = new Date(record.createdAt);
  const packed = packRowData(encodeRowData({ ...record, rowId, createdAt, sender: SENDER }), bzip2);
  const row = { tabname: record.tabname, rowid: rowId, ...packed };
  const signature =
    contract === undefined
      ? new Wallet(record.signingKey).signMessageSync(packed.rowdata)
      : signRow(row, contract, Buffer.from(record.signingKey, "hex"));
  return encodeCallData(name, { ...row, signature });
}

describe("call data", () => {
  it("have the deployed selector", () => {
    const args = { tabname: "", rowid: 1n, rowdata: Buffer.of(), comp: false, signature: "" };
    assert.isTrue(encodeCallData("set", args).startsWith("0xf609bacf"));
  });

  it("keep a byte order mark", () => {
    const rowdata = Buffer.from("1|s|\ufeffc|d|e30=|t|1");
    const args = { tabname: "\ufefft", rowid: 1n, rowdata, comp: false, signature: "\ufeff" };
    const { tabname, signature } = decodeCallData(encodeCallData("set", args)).arguments;
    assert.deepEqual([tabname, signature], ["\ufefft", "\ufeff"]);
  });

  it("of any record round-trip", () => {
    const text = fc.string({ unit: "binary", maxLength: 80 });
    const fields = fc.record({
      name: fc.constantFrom<RowFunction>("set", "insert"),
      tabname: text,
      rowid: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      signature: text,
      code: text,
      topic: text,
      filler: fc.nat(600),
    });
    fc.assert(
      fc.property(fields, ({ name, tabname, rowid, signature, code, topic, filler }) => {
        const payload = { filler: "x".repeat(filler) };
        const filechain = encodeRowData({ rowId: rowid, sender: SENDER, code, createdAt: new Date(0), payload, topic });
        const packed = packRowData(filechain, bzip2);
        const inputdata = abi.encodeFunctionData(name, [tabname, rowid, packed.rowdata, packed.comp, signature]);
        const decoded = decodeCallData(inputdata, name);
        const { rowdata, ...rest } = decoded.arguments;
        assert.deepEqual(rest, { tabname, rowid, comp: packed.comp, signature });
        assert.isTrue(Buffer.from(rowdata).equals(packed.rowdata));
        assert.equal(decoded.filechain, filechain);
        assert.deepEqual([decoded.row.code, decoded.row.topic], [code, topic]);
        assert.equal(encodeCallData(name, decoded.arguments), inputdata);
      }),
    );
  });
});
