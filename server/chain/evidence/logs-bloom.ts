import { keccak256 } from "ethers";
import { bytesOfHex, equalBytes } from "../../kit/bytes.ts";
import type { Address } from "../transaction.ts";
import type { BlockHeader } from "./block-header.ts";
import { listTrie } from "./merkle-trie.ts";

const NO_TRANSACTIONS = listTrie([]).root;

/** Returns whether a block has transactions, by its header. */
export function hasTransactions({ transactionsRoot }: Pick<BlockHeader, "transactionsRoot">): boolean {
  return !equalBytes(transactionsRoot, NO_TRANSACTIONS);
}

/**
 * Returns whether a block can have a log of one of these contracts, by the bloom filter of its header. An empty filter
 * excludes logs only where the block has no transactions: some chains leave all filters empty.
 */
export function mayHaveLogsOf(
  header: Pick<BlockHeader, "logsBloom" | "transactionsRoot">,
  contracts: readonly Address[],
): boolean {
  const { logsBloom } = header;
  if (logsBloom.every((byte) => byte === 0)) return hasTransactions(header);
  return contracts.some((contract) => isInBloom(logsBloom, bytesOfHex(contract)));
}

/** An entry sets three of the 2,048 bits: those that eleven bits of each of its hash's first pairs of bytes name. */
function isInBloom(bloom: Uint8Array, entry: Uint8Array): boolean {
  const hash = bytesOfHex(keccak256(entry));
  return [0, 2, 4].every((at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
    return ((bloom[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  });
}
