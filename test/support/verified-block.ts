import { assert } from "chai";
import type { MinedTransaction, VerifiedBlock, VerifiedHeader } from "../../server/chain/evidence/verified-block.ts";

/** Returns the header of a block without seals; its hash is its number, 32 times. */
export function headerOf(number: number): VerifiedHeader {
  return {
    reference: { number, hash: Buffer.alloc(32, number), time: 1_000 + number, validator: "" },
    parentHash: Buffer.alloc(32, number - 1),
    protocol: "none",
    validators: [],
    hasTransactions: true,
    mayHaveLogsOf: () => true,
  };
}

/** Returns such a block as a whole; nothing is proven of it. */
export function blockOf(number: number, transactions: readonly MinedTransaction[]): VerifiedBlock {
  const nothing = () => assert.fail("nothing is proven");
  return { ...headerOf(number), header: new Uint8Array(), transactions, transaction: nothing, receipt: nothing };
}
