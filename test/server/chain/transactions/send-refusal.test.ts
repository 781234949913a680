import { assert } from "chai";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import { SealbookError } from "../../../../server/errors.ts";
import { classifyRefusal, type SendRefusal } from "../../../../server/chain/rpc/node-words.ts";

const MESSAGES: Readonly<Record<SendRefusal, readonly string[]>> = {
  known: [
    "already known",
    "Known transaction",
    "AlreadyKnown",
    "transaction already imported",
    "Transaction already exists",
  ],
  nonce_used: [
    "nonce too low",
    "Nonce too low",
    "nonce too low: next nonce 5, tx nonce 3",
    "NONCE_TOO_LOW",
    "OldNonce",
  ],
  never: [
    "intrinsic gas too low",
    "Intrinsic gas exceeds gas limit",
    "exceeds block gas limit",
    "Transaction gas limit exceeds block gas limit",
    "oversized data",
    "invalid sender",
    "Invalid signature",
    "invalid chain id for signer",
    "transaction type not supported",
    "max initcode size exceeded",
    "rlp: expected input list",
  ],
  underpriced: [
    "replacement transaction underpriced",
    "transaction underpriced",
    "transaction underpriced: gas tip cap 0, minimum needed 1000000",
    "max fee per gas less than block base fee: address 0x1, maxFeePerGas: 7, baseFee: 8",
    "Transaction gasPrice (0) is too low for the next block, which has a baseFeePerGas of 875000000",
    "Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 875000000",
    "Gas price below configured minimum gas price",
    "gasPrice is less than the current BaseFee",
    "FeeTooLow, EffectivePriorityFeePerGas too low",
    "ReplacementNotAllowed",
    "fee cap less than block base fee",
  ],
  unfunded: [
    "insufficient funds for gas * price + value",
    "Insufficient funds for gas * price + value",
    "Upfront cost exceeds account balance",
    "transaction up-front cost 1 exceeds transaction sender account balance 0",
    "Sender doesn't have enough funds to send tx. The max upfront cost is: 1 and the sender's balance is: 0.",
    "InsufficientFunds, Account balance: 0, cumulative cost: 1",
  ],
  later: [
    "txpool is full",
    "internal error",
    "",
    "too many requests",
    "request timed out",
    "nonce too high",
    "nonce gap is too large",
  ],
};

describe("error responses of a node", function () {
  for (const meaning of ["known", "nonce_used", "underpriced", "unfunded", "never", "later"] as const) {
    for (const message of MESSAGES[meaning]) {
      it(`"${message}" means ${meaning}`, () => {
        assert.equal(classifyRefusal(new NodeError(message, -32000, undefined)), meaning);
      });
    }
  }

  it("a missing response means later, with any text", () => {
    assert.equal(classifyRefusal(new SealbookError("chain_unavailable", "the chain's node does not respond")), "later");
    assert.equal(classifyRefusal(new Error("nonce too low")), "later");
    assert.equal(classifyRefusal(undefined), "later");
  });
});
