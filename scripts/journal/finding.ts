import {
  type EntryFinding,
  entryFindingText,
  type EntryRange,
  type EntrySubject,
  numbers,
  rangeText,
  subjectText,
} from "../../server/journal/check/entry-finding.ts";
import type { ChainFault } from "../../server/journal/integrity/stored-anchor.ts";

const ANCHOR_FAULTS = {
  no_proofs: "has no proofs",
  half_closed: "has a hash without a transaction, or a transaction without a hash",
  no_transaction: "names a transaction that is not there",
  confirmed_by_nothing: "names as its confirmation an entry that does not confirm it",
  confirmed_by_older: "does not name the newest entry that confirms it",
  confirmed_unnoted: "names no confirmation, but its transaction is confirmed",
  confirmed_unsent: "is confirmed in another transaction, or another block, than the journal sent for it",
} as const;

const CONFIRMATION_FAULTS = {
  no_anchor: "is of an anchor that is not there",
  other_hash: "has another hash than its anchor",
  other_size: "has another size than its anchor",
  other_checkpoint: "is for another entry's digest than its anchor",
} as const;

const CHAIN_FAULTS: Readonly<Record<ChainFault, string>> = {
  hash_unknown: "the chain does not know its hash",
  size: "the chain has its hash with another size",
  seen_later: "the chain saw its hash only later",
  no_block: "the chain has no such block",
  block_hash: "the chain has another block under that number",
  block_time: "the chain's block has another time",
  no_transaction: "the block does not have its transaction, or that one failed",
  other_content: "its transaction did not give the contract this hash",
};

export type AnchorFault = keyof typeof ANCHOR_FAULTS;
export type ConfirmationFault = keyof typeof CONFIRMATION_FAULTS;

/** A difference between the journal and its original contents or the chain. */
export type Finding =
  | EntryFinding
  /** The first proof of a batch, before which reading the batch begins. */
  | { readonly kind: "batch_not_found"; readonly sequence: number; readonly batch: number }
  | { readonly kind: "proofs_miscounted"; readonly counted: number; readonly stored: number }
  /** Missing proofs of a leaf. */
  | { readonly kind: "leaf_missing"; readonly batch: number; readonly leaf: number; readonly last: number }
  | {
      readonly kind: "leaf_twice";
      readonly batch: number;
      readonly leaf: number;
      readonly sequence: number;
      readonly other: number;
    }
  | {
      readonly kind: "leaf_unanchored";
      readonly batch: number;
      readonly leaf: number;
      readonly last: number;
      readonly sequence: number;
    }
  /** `suspects`: entries under the anchor that are suspect because of another finding. */
  | {
      readonly kind: "root_differs";
      readonly anchor: number;
      readonly entries: EntryRange;
      readonly suspects: readonly number[];
    }
  | { readonly kind: "shared_leaf_differs"; readonly sequence: number; readonly subject: EntrySubject }
  | { readonly kind: "anchor_wrong"; readonly anchor: number; readonly fault: AnchorFault }
  | {
      readonly kind: "confirmation_wrong";
      readonly sequence: number;
      readonly anchor: number;
      readonly fault: ConfirmationFault;
    }
  | {
      readonly kind: "chain_differs";
      readonly sequence: number;
      readonly anchor: number;
      readonly block: number;
      readonly fault: ChainFault;
    };

/** Formats a finding as a sentence. */
export function findingText(finding: Finding): string {
  switch (finding.kind) {
    case "batch_not_found":
      return `entry ${finding.sequence}: it is not found by batch ${finding.batch}, which begins later`;
    case "proofs_miscounted":
      return `the journal's head: it counts ${finding.stored} proofs, but there are ${finding.counted}`;
    case "leaf_missing":
      return `batch ${finding.batch}: ${numbers("leaf", "leaves", finding.leaf, finding.last)} without a proof`;
    case "leaf_twice":
      return (
        `entry ${finding.sequence}: it has leaf ${finding.leaf} of batch ${finding.batch}, which entry ` +
        `${finding.other} has already`
      );
    case "leaf_unanchored":
      return (
        `entry ${finding.sequence}: batch ${finding.batch}'s ` +
        `${numbers("leaf", "leaves", finding.leaf, finding.last)} under no anchor`
      );
    case "root_differs":
      return (
        `anchor ${finding.anchor}: the recorded hashes of its proofs, among ${rangeText(finding.entries)}, ` +
        `do not give the anchored hash${suspectsText(finding.suspects)}`
      );
    case "shared_leaf_differs":
      return (
        `entry ${finding.sequence} (${subjectText(finding.subject)}): it shares a leaf that has another ` +
        "recorded hash, or no proof"
      );
    case "anchor_wrong":
      return `anchor ${finding.anchor}: it ${ANCHOR_FAULTS[finding.fault]}`;
    case "confirmation_wrong":
      return (
        `entry ${finding.sequence} (confirmation of anchor ${finding.anchor}): it ` +
        `${CONFIRMATION_FAULTS[finding.fault]}`
      );
    case "chain_differs":
      return (
        `entry ${finding.sequence} (confirmation of anchor ${finding.anchor} in block ${finding.block}): ` +
        `${CHAIN_FAULTS[finding.fault]}`
      );
    default:
      return entryFindingText(finding);
  }
}

function suspectsText(suspects: readonly number[]): string {
  if (suspects.length === 0) return "";
  if (suspects.length === 1) return `: entry ${suspects[0]} is the only one of them in doubt`;
  return `: ${suspects.length} of them are in doubt, from entry ${suspects[0]} to ${suspects.at(-1)}`;
}
