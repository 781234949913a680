import { assert } from "chai";
import { getBytes, Interface, solidityPackedKeccak256, verifyMessage, Wallet } from "ethers";
import { recoverSigner, recoverUnboundSigner, signRow, signerAt } from "../../../server/records/row-signature.ts";

const KEY = Buffer.from("11".repeat(32), "hex");
const ACCOUNT = new Wallet(`0x${KEY.toString("hex")}`);
/** Bytes that are no text: the signature is over bytes. */
const ROW = { tabname: "events", rowid: 7n, rowdata: Buffer.of(0x42, 0x5a, 0xff, 0x00, 0x80), comp: true };
const CONTRACT = { chainId: 7325, address: "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A" };

describe("row signature", () => {
  const signature = signRow(ROW, CONTRACT, KEY);

  it("equals that of other wallets over the digest that the contract computes", async () => {
    // The encoding of the contract's own interface, without its function.
    const abi = new Interface(["function f(uint256, address, bytes32, uint256, bool, bytes32)"]);
    const hash = (bytes: Uint8Array) => solidityPackedKeccak256(["bytes"], [bytes]);
    const words = abi.encodeFunctionData("f", [
      ...[CONTRACT.chainId, CONTRACT.address],
      ...[hash(Buffer.from(ROW.tabname)), ROW.rowid, ROW.comp, hash(ROW.rowdata)],
    ]);
    const digest = getBytes(solidityPackedKeccak256(["bytes"], [`0x${words.slice(10)}`]));
    assert.equal(signature, await ACCOUNT.signMessage(digest));
    assert.match(signature, /^0x[0-9a-f]{130}$/);
    assert.equal(verifyMessage(digest, signature), ACCOUNT.address);
  });

  it("identifies the signer, for digits in any case", () => {
    assert.equal(recoverSigner(ROW, signature, CONTRACT), ACCOUNT.address);
    assert.equal(recoverSigner(ROW, `0x${signature.slice(2).toUpperCase()}`, CONTRACT), ACCOUNT.address);
  });

  // Security, relayer: cannot change the content of a record in an account's name: the call data reveals the signer
  it("identifies another signer for other bytes", () => {
    const changed = { ...ROW, rowdata: Buffer.of(...ROW.rowdata, 0) };
    assert.notEqual(recoverSigner(changed, signature, CONTRACT), ACCOUNT.address);
  });

  it("identifies another signer in any other place", () => {
    const places: [typeof ROW, typeof CONTRACT][] = [
      [{ ...ROW, tabname: "other" }, CONTRACT],
      [{ ...ROW, rowid: 8n }, CONTRACT],
      [{ ...ROW, comp: false }, CONTRACT],
      [ROW, { ...CONTRACT, chainId: 1 }],
      [ROW, { ...CONTRACT, address: `0x${"12".repeat(20)}` }],
    ];
    for (const [row, contract] of places) assert.notEqual(recoverSigner(row, signature, contract), ACCOUNT.address);
    assert.notEqual(recoverUnboundSigner(ROW.rowdata, signature), ACCOUNT.address);
  });

  it("of before is over the row data alone", async () => {
    const unbound = await ACCOUNT.signMessage(ROW.rowdata);
    assert.equal(recoverUnboundSigner(ROW.rowdata, unbound), ACCOUNT.address);
    assert.notEqual(recoverSigner(ROW, unbound, CONTRACT), ACCOUNT.address);
  });

  it("of a contract names the contract (ERC-1271)", () => {
    for (const data of ["", "ab", "00".repeat(65), "00".repeat(200)]) {
      assert.equal(signerAt(ROW, `${CONTRACT.address.toLowerCase()}${data}`, CONTRACT), CONTRACT.address);
    }
    assert.equal(signerAt(ROW, signature, CONTRACT), ACCOUNT.address);
    for (const text of [CONTRACT.address.slice(0, -1), `${CONTRACT.address}0`, `${CONTRACT.address}0g`, "0x"]) {
      assert.isUndefined(signerAt(ROW, text, CONTRACT));
    }
  });

  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const otherV = signature.endsWith("1b") ? "1c" : "1b";
  const unreadable: [what: string, text: string][] = [
    ["empty", ""],
    ["without prefix", signature.slice(2)],
    ["too short", signature.slice(0, -2)],
    ["compact", signature.slice(0, 130)],
    ["too long", `${signature}00`],
    ["followed by a line break", `${signature}\n`],
    ["not hex", `0x${"g".repeat(130)}`],
    ["with v as a parity", `${signature.slice(0, -2)}00`],
    ["in its second form", `${signature.slice(0, 66)}${(order - s).toString(16).padStart(64, "0")}${otherV}`],
    ["no point of the curve", `0x${"ff".repeat(32)}${signature.slice(66)}`],
    ["all zeros", `0x${"00".repeat(64)}1b`],
  ];
  for (const [what, text] of unreadable) {
    it(`is invalid when it is ${what}`, () => {
      assert.isUndefined(recoverSigner(ROW, text, CONTRACT));
      assert.isUndefined(recoverUnboundSigner(ROW.rowdata, text));
    });
  }
});
