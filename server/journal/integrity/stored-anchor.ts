import type { AnchorContent, AnchoringBlock, AnchorOnChain, BlockInclusion } from "../../chain/contracts/anchors.ts";
import { equalBytes } from "../../kit/bytes.ts";
import { merkleRoot, type MerkleTree, merkleTree } from "./merkle.ts";
import { MAX_TREE_SIZE } from "../../kit/tree-size.ts";
import type { BlockReference } from "../../chain/block.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import { LaggingError, unavailable } from "../../chain/rpc/rpc.ts";

/** The state of an anchor: `pending` from its opening on, `failed` when its transaction cannot be mined. */
export type AnchorOutcome =
  | { readonly state: "pending" }
  | ({ readonly state: "confirmed" } & BlockInclusion)
  | { readonly state: "failed"; readonly reason: string };

/** A closed anchor. */
export interface StoredAnchor extends AnchorContent {
  readonly id: number;
  readonly transactionId: number;
  readonly outcome: AnchorOutcome;
}

/** Returns the number of recorded hashes under an anchor. */
export function hashesUnder({ size }: Pick<AnchorContent, "size">): number {
  return Math.max(1, size);
}

/**
 * Computes the content of an anchor over recorded hashes, in leaf order: a single hash as it is, several under a root.
 * @param alwaysRoot Also puts a single hash under a root
 */
export function contentOver(
  hashes: readonly Uint8Array[],
  alwaysRoot = false,
): { readonly content: AnchorContent; readonly tree: MerkleTree | undefined } {
  const [only] = hashes;
  if (hashes.length === 1 && only !== undefined && !alwaysRoot)
    return { content: { hash: only, size: 0 }, tree: undefined };
  const tree = merkleTree(hashes);
  return { content: { hash: tree.root, size: tree.size }, tree };
}

/** Returns whether the recorded hashes under an anchor, by leaf index, give the anchored hash. */
export function giveContent(hashes: readonly Uint8Array[], { hash, size }: AnchorContent): boolean {
  if (hashes.length !== hashesUnder({ size }) || hashes.length > MAX_TREE_SIZE) return false;
  return equalBytes(size === 0 ? hashes[0] : merkleRoot(hashes), hash);
}

/** Kinds of contradictions between the chain and a confirmed anchor. */
export type ChainFault =
  | "hash_unknown"
  | "size"
  | "no_block"
  | "block_hash"
  | "block_time"
  | "no_transaction"
  | "other_content"
  | "seen_later";

/** Returns whether two references are to the same block. */
export function isSameBlock(a: Omit<BlockReference, "validator">, b: Omit<BlockReference, "validator">): boolean {
  return a.number === b.number && a.time === b.time && equalBytes(a.hash, b.hash);
}

/**
 * Checks that an anchor is on chain as the journal has it.
 * @param onChain The contract's first anchor of the hash
 * @param mined The block that the journal names, or the one that holds the transaction
 * @returns `undefined` when it is
 */
export function chainFault(
  { hash, size }: AnchorContent,
  {
    transactionHash,
    block,
  }: { readonly transactionHash: Uint8Array; readonly block: Omit<BlockReference, "validator"> },
  onChain: AnchorOnChain | undefined,
  mined: AnchoringBlock | undefined,
): ChainFault | undefined {
  if (onChain === undefined) return "hash_unknown";
  if (onChain.size !== size) return "size";
  if (mined === undefined) return "no_block";
  if (!equalBytes(mined.block.hash, block.hash) || mined.block.number !== block.number) return "block_hash";
  if (mined.block.time !== block.time) return "block_time";
  const given = mined.given(transactionHash);
  if (given === "failed") return "no_transaction";
  if (given === "other" || !equalBytes(given, hash)) return "other_content";
  // An anchor before this transaction is the first one of the same hash, which stays valid.
  return onChain.blockNumber > block.number ? "seen_later" : undefined;
}

const OTHER_BLOCK = "the chain holds its transaction in another block";
const NO_TRANSACTION = "the chain does not know its transaction";
const TEXTS: Readonly<Record<ChainFault, string>> = {
  hash_unknown: "the chain does not confirm it",
  size: "the chain has its anchor in another form",
  no_block: NO_TRANSACTION,
  block_hash: OTHER_BLOCK,
  block_time: OTHER_BLOCK,
  no_transaction: NO_TRANSACTION,
  other_content: NO_TRANSACTION,
  seen_later: "the chain saw it only later",
};

/** What the comparison of an anchor queries. */
export type AnchorQueries = Pick<ProofAnchorClient, "anchorOf" | "blockOf" | "blockHash" | "hasSeen">;

/**
 * Compares a confirmed anchor with the chain.
 * @returns the contradiction between chain and journal, if there is one
 * @throws SealbookError `chain_unavailable` when the chain does not respond, or the node lacks the block and cannot
 *   contradict
 */
export async function contradictionOf(
  chain: AnchorQueries,
  content: AnchorContent,
  inclusion: BlockInclusion,
): Promise<string | undefined> {
  const { hash } = content;
  const { contract, transactionHash, block } = inclusion;
  const blockOf = (): Promise<BlockReference | undefined> =>
    chain.blockOf(transactionHash, hash, block.number, contract);
  let found = await blockOf();
  // A block that the chain never had is one that somebody wrote into the journal.
  if (found === undefined && chain.hasSeen(block.number)) {
    if ((await chain.blockHash(block.number)) === undefined)
      throw unavailable(new LaggingError(`the node does not have block ${block.number}, which holds the anchor`));
    // The first response was that of another node behind the same address.
    found = await blockOf();
  }
  if (found !== undefined && isSameBlock(found, block)) return undefined;
  // A node that lacks the block cannot tell that the anchor is not there.
  const onChain = await chain.anchorOf(hash, contract, block.number);
  const fault = chainFault(content, inclusion, onChain, found && { block: found, given: () => hash });
  return fault && `The journal has a record of this hash, but ${TEXTS[fault]}`;
}
