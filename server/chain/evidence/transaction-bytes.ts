import { hexlify, keccak256 } from "ethers";
import { Data } from "../rpc/fields.ts";
import { query } from "../rpc/query.ts";
import { ifNodeError, type Rpc } from "../rpc/rpc.ts";
import { type BlockTransaction, encodeTransaction, type UnknownTransaction } from "./transaction-encoding.ts";

/**
 * Returns the bytes of a block's transactions as in its trie. Those of an unknown type come from the node: their hash
 * is the transaction's, and the block's header covers it.
 * @param refusal Builds the error for a transaction without bytes
 */
export async function transactionBytesOf(
  rpc: Pick<Rpc, "call">,
  transactions: readonly (BlockTransaction | UnknownTransaction)[],
  refusal: (why: string) => Error,
): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for (const [index, transaction] of transactions.entries()) {
    all.push(
      transaction.type === "unknown"
        ? await fetchBytes(rpc, index, transaction, refusal)
        : encodeTransaction(transaction),
    );
  }
  return all;
}

/** Fetches the bytes of a transaction of an unknown type; one after the other, as they are rare. */
async function fetchBytes(
  rpc: Pick<Rpc, "call">,
  index: number,
  { hash, unknownType }: UnknownTransaction,
  refusal: (why: string) => Error,
): Promise<Uint8Array> {
  const method = "eth_getRawTransactionByHash";
  const bytes = await query(rpc, Data, method, [hexlify(hash)]).catch(ifNodeError(undefined));
  if (bytes !== undefined && keccak256(bytes) === hexlify(hash)) return bytes;
  throw refusal(
    `transaction ${index} has the type ${unknownType}, which this version does not encode, and the node does not ` +
      `return its bytes (${method})`,
  );
}
