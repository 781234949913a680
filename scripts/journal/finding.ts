import type { JournalEntry } from "../../server/journal/entries/codec.ts";
import type { KeyKind } from "../../server/journal/index/proof-key.ts";
import { hex } from "../../server/kit/bytes.ts";
import type { ChainFault } from "../../server/journal/integrity/stored-anchor.ts";

/** The fields that identify an entry in a message. */
export type Subject =
  | { readonly kind: "proof"; readonly documentId: string }
  | { readonly kind: "confirmation"; readonly anchor: number }
  | { readonly kind: "account"; readonly address: string }
  | { readonly kind: "verification"; readonly id: string }
  | { readonly kind: "resolution"; readonly divergence: string }
  | { readonly kind: "issuer_key"; readonly publicKey: string };

/** A range of entries, both ends included. */
interface EntryRange {
  readonly first: number;
  readonly last: number;
}

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
  /** Entries that are missing from the sequence. */
  | { readonly kind: "entry_missing"; readonly sequence: number; readonly last: number }
  /** Entries, from `sequence` to `last`, that do not give the digest or the code of their row. */
  | { readonly kind: "row_changed"; readonly sequence: number; readonly last: number }
  /** An entry whose facts the tables for finding lack, or have otherwise. */
  | { readonly kind: "entry_differs"; readonly sequence: number; readonly subject: Subject }
  /** An entry that only the tables for finding have. */
  | { readonly kind: "entry_beyond"; readonly sequence: number }
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
  | { readonly kind: "shared_leaf_differs"; readonly sequence: number; readonly subject: Subject }
  | { readonly kind: "anchor_wrong"; readonly anchor: number; readonly fault: AnchorFault }
  | {
      readonly kind: "confirmation_wrong";
      readonly sequence: number;
      readonly anchor: number;
      readonly fault: ConfirmationFault;
    }
  /** The anchored checkpoint is not the journal's digest. */
  | { readonly kind: "checkpoint_differs"; readonly sequence: number; readonly checkpoint: number }
  | { readonly kind: "key_missing"; readonly sequence: number; readonly by: KeyKind }
  | {
      readonly kind: "chain_differs";
      readonly sequence: number;
      readonly anchor: number;
      readonly block: number;
      readonly fault: ChainFault;
    };

const KEY_NAMES: Readonly<Record<KeyKind, string>> = {
  record: "recorded hash",
  hash: "hash",
  document: "document",
};

/** Formats an entry for messages. */
export function subjectText(subject: Subject): string {
  switch (subject.kind) {
    case "proof":
      return `proof of document ${JSON.stringify(subject.documentId)}`;
    case "confirmation":
      return `confirmation of anchor ${subject.anchor}`;
    case "account":
      return `account ${subject.address}`;
    case "verification":
      return `recovery verification ${subject.id}`;
    case "resolution":
      return `resolution of ${subject.divergence}`;
    case "issuer_key":
      return `issuer key ${subject.publicKey}`;
  }
}

/** Formats a finding as a sentence. */
export function findingText(finding: Finding): string {
  switch (finding.kind) {
    case "entry_missing":
      return `${numbers("entry", "entries", finding.sequence, finding.last)} missing`;
    case "row_changed":
      return (
        `${rangeText({ first: finding.sequence, last: finding.last })}: not what a relayer has written: changed, or ` +
        "added by somebody else"
      );
    case "entry_differs":
      return `entry ${finding.sequence} (${subjectText(finding.subject)}): the tables do not have what the entry says`;
    case "entry_beyond":
      return `entry ${finding.sequence}: it is in the tables, but not in the journal`;
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
    case "checkpoint_differs":
      return (
        `entry ${finding.sequence}: the digest anchored for entry ${finding.checkpoint} is not the one that ` +
        "the journal gives: the journal up to there was written anew"
      );
    case "key_missing":
      return `entry ${finding.sequence}: it cannot be found by its ${KEY_NAMES[finding.by]}`;
    case "chain_differs":
      return (
        `entry ${finding.sequence} (confirmation of anchor ${finding.anchor} in block ${finding.block}): ` +
        `${CHAIN_FAULTS[finding.fault]}`
      );
  }
}

/** Formats a range of entries. */
export function rangeText({ first, last }: EntryRange): string {
  return first === last ? `entry ${first}` : `entries ${first} to ${last}`;
}

function numbers(one: string, many: string, first: number, last: number): string {
  return first === last ? `${one} ${first} is` : `${many} ${first} to ${last} are`;
}

/** Returns the fields of an entry that identify it. */
export function subjectOf(entry: JournalEntry): Subject {
  switch (entry.kind) {
    case "proof":
      return { kind: "proof", documentId: entry.document_id };
    case "confirmation":
      return { kind: "confirmation", anchor: entry.anchor };
    case "account":
      return { kind: "account", address: entry.address };
    case "verification":
      return { kind: "verification", id: entry.id };
    case "resolution":
      return { kind: "resolution", divergence: entry.divergence };
    case "issuer_key":
      return { kind: "issuer_key", publicKey: hex(entry.public_key) };
  }
}

function suspectsText(suspects: readonly number[]): string {
  if (suspects.length === 0) return "";
  if (suspects.length === 1) return `: entry ${suspects[0]} is the only one of them in doubt`;
  return `: ${suspects.length} of them are in doubt, from entry ${suspects[0]} to ${suspects.at(-1)}`;
}
