import { hex } from "../../kit/bytes.ts";
import type { JournalEntry } from "../entries/codec.ts";
import type { KeyKind } from "../index/proof-key.ts";
import type { ChainFault } from "../integrity/stored-anchor.ts";

/** The fields that identify an entry in a message. */
export type EntrySubject =
  | { readonly kind: "proof"; readonly documentId: string }
  | { readonly kind: "confirmation"; readonly anchor: number }
  | { readonly kind: "account"; readonly address: string }
  | { readonly kind: "verification"; readonly id: string }
  | { readonly kind: "resolution"; readonly divergence: string }
  | { readonly kind: "issuer_key"; readonly publicKey: string }
  | { readonly kind: "store"; readonly rowId: string };

const ANCHOR_FAULTS = {
  missing: "is not there, though the journal has proofs under it, or its confirmation",
  changed: "is not as a relayer has written it",
  not_found: "is not found from its first proof on",
  unconfirmed: "does not name the newest entry that confirms it",
  unsent: "is not confirmed, and has no transaction that is to be sent",
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

/** A difference between the entries of a journal, what relayers have written beside them, and the chain. */
export type Finding =
  /** Entries that are missing from the sequence. */
  | { readonly kind: "entry_missing"; readonly sequence: number; readonly last: number }
  /** Entries, from `sequence` to `last`, that do not give the digest or the code of their row. */
  | { readonly kind: "row_changed"; readonly sequence: number; readonly last: number }
  /** An entry whose facts the tables for finding lack, or have otherwise. */
  | { readonly kind: "entry_differs"; readonly sequence: number; readonly subject: EntrySubject }
  /** An entry that only the tables for finding have. */
  | { readonly kind: "entry_beyond"; readonly sequence: number }
  /** The anchored checkpoint is not the journal's digest. */
  | { readonly kind: "checkpoint_differs"; readonly sequence: number; readonly checkpoint: number }
  | { readonly kind: "key_missing"; readonly sequence: number; readonly by: KeyKind }
  /** A proof whose leaf is out of order, or shared with another recorded hash. */
  | { readonly kind: "leaf_wrong"; readonly sequence: number; readonly anchor: number; readonly leaf: number }
  /** Proofs, among the entries from `sequence` to `last`, that do not give the confirmed hash. */
  | { readonly kind: "root_differs"; readonly anchor: number; readonly sequence: number; readonly last: number }
  /** `sequence`: the first proof under the anchor, or its confirmation. */
  | {
      readonly kind: "anchor_wrong";
      readonly sequence: number;
      readonly anchor: number;
      readonly fault: AnchorFault;
    }
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

/** Formats a finding as a sentence. */
export function findingText(finding: Finding): string {
  switch (finding.kind) {
    case "entry_missing":
      return finding.sequence === finding.last
        ? `entry ${finding.sequence} is missing`
        : `entries ${finding.sequence} to ${finding.last} are missing`;
    case "row_changed":
      return (
        `the entries ${finding.sequence} to ${finding.last} of the journal were not written by a relayer, or were ` +
        "changed"
      );
    case "entry_differs":
      return `entry ${finding.sequence} (${subjectText(finding.subject)}): the tables do not have what the entry says`;
    case "entry_beyond":
      return `entry ${finding.sequence}: it is in the tables, but not in the journal`;
    case "checkpoint_differs":
      return (
        `entry ${finding.sequence}: the digest anchored for entry ${finding.checkpoint} is not the one that ` +
        "the journal gives: the journal up to there was written anew"
      );
    case "key_missing":
      return `entry ${finding.sequence}: it cannot be found by its ${KEY_NAMES[finding.by]}`;
    case "leaf_wrong":
      return (
        `entry ${finding.sequence}: it has leaf ${finding.leaf} of anchor ${finding.anchor}, which is not the next ` +
        "one, or has another recorded hash"
      );
    case "root_differs":
      return (
        `anchor ${finding.anchor}: the recorded hashes of its proofs, among entries ${finding.sequence} to ` +
        `${finding.last}, do not give the anchored hash`
      );
    case "anchor_wrong":
      return `anchor ${finding.anchor} (entry ${finding.sequence}): it ${ANCHOR_FAULTS[finding.fault]}`;
    case "chain_differs":
      return (
        `entry ${finding.sequence} (confirmation of anchor ${finding.anchor} in block ${finding.block}): ` +
        CHAIN_FAULTS[finding.fault]
      );
  }
}

/** Returns the subject of the divergence that a finding is. */
export function divergenceOf(finding: Finding): string {
  switch (finding.kind) {
    case "key_missing":
      return "index";
    case "leaf_wrong":
    case "root_differs":
      return `leaves of anchor ${finding.anchor}`;
    case "anchor_wrong":
      return finding.fault === "unconfirmed"
        ? `confirmation ${finding.sequence}`
        : `leaves of anchor ${finding.anchor}`;
    case "chain_differs":
      return `confirmation ${finding.sequence}`;
    default:
      return "entries";
  }
}

/** Formats an entry for messages. */
function subjectText(subject: EntrySubject): string {
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
    case "store":
      return `store of row ${subject.rowId}`;
  }
}

/** Returns the fields of an entry that identify it. */
export function entrySubject(entry: JournalEntry): EntrySubject {
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
    case "store":
      return { kind: "store", rowId: entry.row_id };
  }
}
