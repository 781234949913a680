import type { AnchoringBlock, AnchorOnChain } from "../../server/chain/contracts/anchor.ts";
import { type AnchorFacts, type ConfirmationFacts, isSame } from "../../server/journal/integrity/anchor-facts.ts";
import type { ChainFault, ConfirmationFault, Finding } from "../../server/journal/integrity/finding.ts";

/**
 * Compares what an entry confirms with its anchor.
 * @param siblings All anchors of the batch: when one was split, others are in its place
 */
export function judgeConfirmation(
  confirmation: ConfirmationFacts,
  anchor: AnchorFacts | undefined,
  siblings: readonly AnchorFacts[],
): Finding[] {
  const { sequence } = confirmation;
  if (anchor === undefined) {
    return wasSplit(confirmation, siblings)
      ? []
      : [{ kind: "confirmation_wrong", sequence, anchor: confirmation.anchor, fault: "no_anchor" }];
  }
  const faults: ConfirmationFault[] = [];
  if (confirmation.batch !== anchor.batch || confirmation.firstLeaf !== anchor.firstLeaf) faults.push("other_place");
  if (!isSame(confirmation.hash, anchor.hash)) faults.push("other_hash");
  if (confirmation.size !== anchor.size) faults.push("other_size");
  if (confirmation.sealed !== anchor.sealed) faults.push("other_seal");
  const findings: Finding[] = faults.map((fault) => ({
    kind: "confirmation_wrong",
    sequence,
    anchor: anchor.id,
    fault,
  }));
  if (isCurrent(confirmation, anchor) && !isAsSent(confirmation, anchor)) {
    findings.push({ kind: "anchor_wrong", anchor: anchor.id, fault: "confirmed_unsent" });
  }
  return findings;
}

/** Whether an entry is what an anchor stands on now; an older one may hold no longer. */
export function isCurrent({ sequence }: ConfirmationFacts, { confirmation }: AnchorFacts): boolean {
  return sequence === confirmation;
}

/**
 * Compares what an entry confirms with what the chain says.
 * @param onChain What the contract knows of the hash
 * @param mined The block with the number that the entry tells
 */
export function judgeOnChain(
  confirmation: ConfirmationFacts,
  onChain: AnchorOnChain | undefined,
  mined: AnchoringBlock | undefined,
): Finding | undefined {
  const { sequence, anchor, blockNumber: block } = confirmation;
  const fault = chainFault(confirmation, onChain, mined);
  return fault && { kind: "chain_differs", sequence, anchor, block, fault };
}

function chainFault(
  { hash, size, transactionHash, blockNumber, blockHash, blockTime }: ConfirmationFacts,
  onChain: AnchorOnChain | undefined,
  mined: AnchoringBlock | undefined,
): ChainFault | undefined {
  if (onChain === undefined) return "hash_unknown";
  if (onChain.size !== size) return "size";
  // An anchor before this one is the first of the same hash, which stands.
  if (onChain.blockNumber > blockNumber) return "seen_later";
  if (mined === undefined) return "no_block";
  if (!isSame(mined.block.hash, blockHash)) return "block_hash";
  if (mined.block.time !== blockTime) return "block_time";
  const given = mined.given(transactionHash);
  if (given === "failed") return "no_transaction";
  return given !== "other" && isSame(given, hash) ? undefined : "other_content";
}

/** An anchor whose confirmation held no longer can have been split: then others, made later, are over parts of it. */
function wasSplit({ anchor, firstLeaf, size }: ConfirmationFacts, siblings: readonly AnchorFacts[]): boolean {
  const parts = siblings.filter(
    ({ id, firstLeaf: first, lastLeaf }) => id > anchor && first >= firstLeaf && lastLeaf < firstLeaf + size,
  );
  return parts.length > 1;
}

/** Whether the journal's own transaction is the one that is told of. */
function isAsSent(
  { transactionHash, blockNumber, blockHash }: ConfirmationFacts,
  { transaction }: AnchorFacts,
): boolean {
  if (transaction === undefined) return true;
  const { isConfirmed, hash, blockNumber: number, blockHash: inBlock } = transaction;
  return isConfirmed && isSame(hash, transactionHash) && number === blockNumber && isSame(inBlock, blockHash);
}
