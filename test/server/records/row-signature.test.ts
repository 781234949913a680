import { assert } from "chai";
import { verifyMessage, Wallet } from "ethers";
import { recoverSigner, signRowData } from "../../../server/records/row-signature.ts";

const KEY = Buffer.from("11".repeat(32), "hex");
const ACCOUNT = new Wallet(`0x${KEY.toString("hex")}`);
/** Bytes that are no text: the signature is over bytes. */
const ROWDATA = Buffer.of(0x42, 0x5a, 0xff, 0x00, 0x80);

describe("row signature", () => {
  const signature = signRowData(ROWDATA, KEY);

  it("equals that of other wallets over the same bytes", async () => {
    assert.equal(signature, await ACCOUNT.signMessage(ROWDATA));
    assert.match(signature, /^0x[0-9a-f]{130}$/);
    assert.equal(verifyMessage(ROWDATA, signature), ACCOUNT.address);
  });

  it("identifies the signer, for digits in any case", () => {
    assert.equal(recoverSigner(ROWDATA, signature), ACCOUNT.address);
    assert.equal(recoverSigner(ROWDATA, `0x${signature.slice(2).toUpperCase()}`), ACCOUNT.address);
  });

  // Security, relayer: cannot change the content of a record in an account's name: the call data reveals the signer
  it("identifies another signer for other bytes", () => {
    assert.notEqual(recoverSigner(Buffer.of(...ROWDATA, 0), signature), ACCOUNT.address);
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
    it(`is invalid when it is ${what}`, () => assert.isUndefined(recoverSigner(ROWDATA, text)));
  }
});
