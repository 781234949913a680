import type { ConfirmationEntry } from "../../server/journal/entries/codec.ts";
import { equalBytes } from "../../server/kit/bytes.ts";
import type { AnchorFacts } from "./anchor-facts.ts";
import type { AnchorFault, ConfirmationFault, Finding } from "./finding.ts";

/**
 * Compares the contents of a confirmation with its anchor.
 * @param siblings All anchors of the batch: after a split, other anchors cover its leaves
 */
export function checkConfirmation(
  confirmation: ConfirmationEntry,
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
  if (!equalBytes(confirmation.hash, anchor.hash)) faults.push("other_hash");
  if (confirmation.size !== anchor.size) faults.push("other_size");
  if (confirmation.checkpoint !== anchor.checkpoint) faults.push("other_checkpoint");
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

/** Returns whether an entry is the current confirmation of its anchor; an older one may be superseded. */
export function isCurrent({ sequence }: ConfirmationEntry, { confirmation }: AnchorFacts): boolean {
  return sequence === confirmation;
}

/** Returns the inconsistencies between an anchor, its transaction and its confirmation. */
export function outcomeFaults(anchor: AnchorFacts): AnchorFault[] {
  const { id, hash, transactionId, transaction, confirmation, confirms, newestConfirmation: newest } = anchor;
  const faults: AnchorFault[] = [];
  if ((hash === null) !== (transactionId === null)) faults.push("half_closed");
  if (transactionId !== null && transaction === undefined) faults.push("no_transaction");
  if (confirmation !== null && (confirms === undefined || confirms.anchor !== id)) faults.push("confirmed_by_nothing");
  // A transaction can return to its former block after a rollback or reorganization; then an older entry is current
  // again.
  else if (
    confirmation !== null &&
    newest !== null &&
    newest > confirmation &&
    !equalBytes(transaction?.blockHash, confirms?.blockHash)
  ) {
    faults.push("confirmed_by_older");
  }
  if (confirmation === null && transaction?.isConfirmed === true) faults.push("confirmed_unnoted");
  return faults;
}

/**
 * Returns whether an anchor was split. An anchor can be split once its confirmation is no longer valid: newer anchors
 * then cover parts of it.
 */
function wasSplit({ anchor, firstLeaf, size }: ConfirmationEntry, siblings: readonly AnchorFacts[]): boolean {
  const parts = siblings.filter(
    ({ id, firstLeaf: first, lastLeaf }) => id > anchor && first >= firstLeaf && lastLeaf < firstLeaf + size,
  );
  return parts.length > 1;
}

/** Returns whether the stored transaction of the anchor is the one in the confirmation. */
function isAsSent(
  { transactionHash, blockNumber, blockHash }: ConfirmationEntry,
  { transaction }: AnchorFacts,
): boolean {
  if (transaction === undefined) return true;
  const { isConfirmed, hash, blockNumber: number, blockHash: inBlock } = transaction;
  return isConfirmed && equalBytes(hash, transactionHash) && number === blockNumber && equalBytes(inBlock, blockHash);
}
