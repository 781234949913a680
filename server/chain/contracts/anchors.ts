import { getBytes } from "ethers";
import type { Address } from "../transaction.ts";
import type { BlockReference } from "../block.ts";
import { equalBytes, prefixedHex } from "../../kit/bytes.ts";
import type { TransactionInBlock } from "../evidence/verified-chain.ts";
import type { MinedTransaction, VerifiedBlock } from "../evidence/verified-block.ts";
import { INTERFACES } from "./interfaces.ts";

/** Content of an anchor for one or many proofs. */
export interface AnchorContent {
  /** A recorded hash alone, or the root over several. */
  readonly hash: Uint8Array;
  /** Number of hashes under the root; 0 for a hash alone. */
  readonly size: number;
}

/** The first anchor of a hash in a contract. */
export interface AnchorOnChain {
  readonly contract: Address;
  /** Block time, Unix seconds. */
  readonly time: number;
  readonly blockNumber: number;
  /** Number of hashes under the root; 0 for a hash anchored alone. */
  readonly size: number;
}

/** The transaction and block of an anchor on chain, current or superseded. */
export interface BlockInclusion {
  /** The contract that has the anchor. */
  readonly contract: Address;
  readonly transactionHash: Uint8Array;
  readonly block: BlockReference;
}

/** What a mined transaction has anchored, according to its verified block. */
export interface MinedAnchor extends AnchorContent {
  readonly contract: Address;
  /** Where the contract has it, when an earlier transaction anchored it. */
  readonly first?: Omit<BlockInclusion, "contract"> | undefined;
}

/** An anchor that the journal has just confirmed. */
export interface ConfirmedAnchor extends AnchorContent, BlockInclusion {
  readonly anchorId: number;
}

/** An anchor from the contract's event log. */
export interface LoggedAnchor extends AnchorContent {
  readonly contract: Address;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** The contract's anchors of some hashes at one block. */
export interface AnchorInspection {
  readonly block: BlockReference;
  /** In the order of the hashes; `time` is 0 for a hash without an anchor. `response` is the contract's, `0x` hex. */
  readonly anchors: readonly (AnchorOnChain & { readonly response: string })[];
}

/** A verified block with the hash whose anchor each of its transactions confirms. */
export interface AnchoringBlock {
  readonly block: BlockReference;
  /**
   * Returns the hash whose anchor a transaction confirms; `failed` for a reverted transaction and for one that is not
   * in the block, `other` for a transaction that confirms no anchor.
   */
  given(transactionHash: Uint8Array): "failed" | "other" | Uint8Array;
}

const ABI = INTERFACES.ProofAnchor;

/** Reads that the rule needs for a repeated anchor. */
export interface FirstAnchors {
  /** Fetches the first anchor of a hash, as a contract returns it. */
  anchorOf(hash: Uint8Array): Promise<AnchorOnChain | undefined>;
  block(number: number): Promise<VerifiedBlock | undefined>;
}

/** An anchor in a verified block. */
interface AnchorInBlock {
  readonly content: AnchorContent;
  /** Where an earlier transaction anchored it; `undefined` when this one did. */
  readonly first: Omit<BlockInclusion, "contract"> | undefined;
}

/** The first anchor of a hash, in its verified block. */
interface EarlierAnchor extends Pick<AnchorContent, "size"> {
  /** Whether its transaction calls the contract itself. */
  readonly isDirect: boolean;
  readonly inclusion: Omit<BlockInclusion, "contract">;
}

/**
 * The one rule for confirmations: a transaction confirms the anchor of a hash when it succeeded in a verified block,
 * passed the hash to the contract, and the contract emitted `Anchored` for it with the same size. A repeat emits
 * nothing; then the event must be in the block of the first anchor, which must not be later. Nothing else counts,
 * neither a receipt alone nor the contract's response.
 * @returns `undefined` when the transaction confirms nothing
 */
export async function confirmedAnchor(
  { block, transaction }: Pick<TransactionInBlock, "block" | "transaction">,
  contract: Address,
  chain: FirstAnchors,
): Promise<AnchorInBlock | undefined> {
  if (!transaction.succeeded) return undefined;
  const content = contentGivenIn(transaction, contract);
  if (content === undefined) return undefined;
  if (hasAnchored(transaction, contract, content)) return { content, first: undefined };
  const earlier = await earlierAnchor(content.hash, contract, block, chain);
  if (earlier?.size !== content.size) return undefined;
  // A transaction that anchors through another contract does not pass the hash to this one: it confirms nothing.
  return { content, first: earlier.isDirect ? earlier.inclusion : undefined };
}

/**
 * Returns why a successful transaction can never confirm its content: the contract has the hash with another size,
 * because another holder of the relayer's role anchored it first.
 */
export async function anchorConflict(
  { block, transaction }: Pick<TransactionInBlock, "block" | "transaction">,
  contract: Address,
  chain: FirstAnchors,
): Promise<string | undefined> {
  const content = contentGivenIn(transaction, contract);
  const first = content && (await earlierAnchor(content.hash, contract, block, chain));
  if (first === undefined || first.size === content?.size) return undefined;
  const form = first.size === 0 ? "as a hash alone" : `as a root over ${first.size} hashes`;
  return `the contract has this anchor already, ${form}: another holder of the relayer's role sent it`;
}

/** Returns the first anchor of a hash, from the event in its verified block; not of a later block. */
async function earlierAnchor(
  hash: Uint8Array,
  contract: Address,
  block: VerifiedBlock,
  chain: FirstAnchors,
): Promise<EarlierAnchor | undefined> {
  const { number } = block.reference;
  const first = await chain.anchorOf(hash);
  if (first === undefined || first.blockNumber > number) return undefined;
  const earlier = first.blockNumber === number ? block : await chain.block(first.blockNumber);
  if (earlier?.reference.time !== first.time) return undefined;
  for (const each of earlier.transactions) {
    const anchored = anchoredIn(each, contract).find((content) => equalBytes(content.hash, hash));
    if (anchored === undefined) continue;
    return {
      size: anchored.size,
      isDirect: equalBytes(contentGivenIn(each, contract)?.hash, hash),
      inclusion: { transactionHash: getBytes(each.hash), block: earlier.reference },
    };
  }
  return undefined;
}

/** Returns whether a transaction calls the contract. */
export function calls({ to }: Pick<MinedTransaction, "to">, contract: Address): boolean {
  return equalBytes(to, getBytes(contract));
}

/** Returns the content that a transaction passes to the contract; `undefined` for any other transaction. */
function contentGivenIn(
  { to, input }: Pick<MinedTransaction, "to" | "input">,
  contract: Address,
): AnchorContent | undefined {
  if (!calls({ to }, contract)) return undefined;
  const call = ABI.parseTransaction({ data: prefixedHex(input) });
  if (call?.name !== "anchor" && call?.name !== "anchorBatch") return undefined;
  return { hash: getBytes(String(call.args[0])), size: call.name === "anchor" ? 0 : Number(call.args[1]) };
}

/** Returns the contents of the events of a transaction. */
export function anchoredIn({ succeeded, logs }: MinedTransaction, contract: Address): AnchorContent[] {
  if (!succeeded) return [];
  return logs.flatMap(({ address, topics, data }) => {
    if (!equalBytes(address, getBytes(contract))) return [];
    const event = ABI.parseLog({ topics: topics.map(prefixedHex), data: prefixedHex(data) });
    if (event?.name !== "Anchored") return [];
    return { hash: getBytes(String(event.args.getValue("hash"))), size: Number(event.args.getValue("size")) };
  });
}

function hasAnchored(transaction: MinedTransaction, contract: Address, { hash, size }: AnchorContent): boolean {
  return anchoredIn(transaction, contract).some((each) => equalBytes(each.hash, hash) && each.size === size);
}
