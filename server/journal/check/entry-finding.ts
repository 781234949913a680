import { hex } from "../../kit/bytes.ts";
import type { JournalEntry } from "../entries/codec.ts";
import type { KeyKind } from "../index/proof-key.ts";

/** The fields that identify an entry in a message. */
export type EntrySubject =
  | { readonly kind: "proof"; readonly documentId: string }
  | { readonly kind: "confirmation"; readonly anchor: number }
  | { readonly kind: "account"; readonly address: string }
  | { readonly kind: "verification"; readonly id: string }
  | { readonly kind: "resolution"; readonly divergence: string }
  | { readonly kind: "issuer_key"; readonly publicKey: string }
  | { readonly kind: "store"; readonly rowId: string };

/** A range of entries, both ends included. */
export interface EntryRange {
  readonly first: number;
  readonly last: number;
}

/** A difference between the entries of a journal and what relayers have written. */
export type EntryFinding =
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
  | { readonly kind: "key_missing"; readonly sequence: number; readonly by: KeyKind };

const KEY_NAMES: Readonly<Record<KeyKind, string>> = {
  record: "recorded hash",
  hash: "hash",
  document: "document",
};

/** Formats a finding as a sentence. */
export function entryFindingText(finding: EntryFinding): string {
  switch (finding.kind) {
    case "entry_missing":
      return `${numbers("entry", "entries", finding.sequence, finding.last)} missing`;
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
  }
}

/** Formats a range of entries. */
export function rangeText({ first, last }: EntryRange): string {
  return first === last ? `entry ${first}` : `entries ${first} to ${last}`;
}

/** Formats a range of numbers as the subject of a sentence. */
export function numbers(one: string, many: string, first: number, last: number): string {
  return first === last ? `${one} ${first} is` : `${many} ${first} to ${last} are`;
}

/** Formats an entry for messages. */
export function subjectText(subject: EntrySubject): string {
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
export function subjectOf(entry: JournalEntry): EntrySubject {
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
