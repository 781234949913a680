import { RLP } from "@ethereumjs/rlp";
import { concat, getBytes } from "ethers";
import * as z from "zod";
import { BigQuantity, Data } from "../rpc/query.ts";

/** The fields of a log that the block's receipts root covers. */
export const ConsensusLog = z.object({ address: Data, topics: z.array(Data), data: Data });

/** The fields of a receipt that the block's receipts root covers, and the names of its block and transaction. */
export const ConsensusReceipt = z.object({
  type: BigQuantity.default(0n),
  /** Receipts of the first forks have a state root in its place. */
  status: BigQuantity.nullish(),
  root: Data.nullish(),
  cumulativeGasUsed: BigQuantity,
  logsBloom: Data,
  logs: z.array(ConsensusLog),
  blockHash: Data,
  transactionHash: Data,
  /** Of deposits on OP-stack chains: since Regolith and since Canyon. */
  depositNonce: BigQuantity.nullish(),
  depositReceiptVersion: BigQuantity.nullish(),
});

/** As {@link ConsensusReceipt} reads it. */
export type ConsensusReceipt = z.output<typeof ConsensusReceipt>;

/**
 * Encodes a receipt as in the block's trie. On OP-stack chains the receipt of a deposit has its nonce only together
 * with a version: blocks before Canyon return the nonce, and their receipts root does not cover it.
 */
export function encodeReceipt({
  type,
  status,
  root,
  cumulativeGasUsed,
  logsBloom,
  logs,
  depositNonce,
  depositReceiptVersion,
}: ConsensusReceipt): Uint8Array {
  const outcome = status ?? root;
  if (outcome === undefined || outcome === null) throw new RangeError("A receipt has a status or a state root");
  const body = RLP.encode([
    outcome,
    cumulativeGasUsed,
    logsBloom,
    logs.map(({ address, topics, data }) => [address, topics, data]),
    ...(depositReceiptVersion === undefined || depositReceiptVersion === null
      ? []
      : [depositNonce ?? 0n, depositReceiptVersion]),
  ]);
  return type === 0n ? body : getBytes(concat([Uint8Array.of(Number(type)), body]));
}
