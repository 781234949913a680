import type { BlockReference } from "../../chain/block.ts";
import type { JournalHead } from "../integrity/entry-chain.ts";
import type { AnchorContent } from "../../chain/contracts/anchor.ts";
import { hex } from "../../kit/hex.ts";

/** What journal, replicas and chain can disagree about. */
export type Subject =
  | { readonly kind: "confirmation"; readonly sequence: number }
  | { readonly kind: "anchor"; readonly hash: Uint8Array }
  | { readonly kind: "entries" }
  | { readonly kind: "leaves"; readonly anchor: number }
  | { readonly kind: "replica"; readonly name: string };

/** A disagreement that cannot be mended without somebody looking at it, or that is not mended yet. */
export interface Divergence {
  /** See {@link subjectText}. */
  readonly subject: string;
  readonly message: string;
  /** Unix milliseconds. */
  readonly foundAt: number;
}

/** The name of a subject, the same each time. */
export function subjectText(subject: Subject): string {
  switch (subject.kind) {
    case "confirmation":
      return `confirmation ${subject.sequence}`;
    case "anchor":
      return `anchor ${hex(subject.hash)}`;
    case "entries":
      return "entries";
    case "leaves":
      return `leaves of anchor ${subject.anchor}`;
    case "replica":
      return `replica ${subject.name}`;
  }
}

/** A confirmation that holds, as the journal has it. */
export interface Confirmation extends AnchorContent {
  readonly sequence: number;
  /** What the journal has it for. */
  readonly anchor: { readonly id: number; readonly hash: Uint8Array };
  /** Whether it was made for that anchor. */
  readonly isOwn: boolean;
  /** The entry whose digest the hash is; `undefined` when it stands for proofs. */
  readonly checkpoint: number | undefined;
  readonly transactionId: number;
  readonly transactionHash: Uint8Array;
  readonly block: BlockReference;
}

/** Where an anchor stands by what the journal says. */
export interface AnchorStanding {
  readonly id: number;
  readonly transactionId: number;
  /** Whether its transaction was mined. */
  readonly isMined: boolean;
  readonly isConfirmed: boolean;
}

/** How far the comparison has come. */
export interface ReconciliationProgress {
  /** The newest confirmation that was compared with the chain. */
  readonly confirmation: number;
  /** The newest block whose anchors were compared with the journal. */
  readonly block: { readonly number: number; readonly hash: Uint8Array } | undefined;
  /** When the last pass ended, and the last one over everything; Unix milliseconds. */
  readonly passedAt: number | undefined;
  readonly fullPassedAt: number | undefined;
}

/** What comparing leaves behind. */
export interface ReconciliationStore {
  /**
   * Takes the turn, so that of several relayers one compares.
   * @returns false while another one has it
   */
  acquireLease(now: number, until: number): Promise<boolean>;
  progress(): Promise<ReconciliationProgress>;
  save(progress: ReconciliationProgress): Promise<void>;
  divergences(): Promise<Divergence[]>;
  /** @returns false when it was known already */
  raise(divergence: Divergence): Promise<boolean>;
  /** @returns false when there was none */
  resolve(subject: string): Promise<boolean>;
  /** Confirmations that hold, by their numbers, after one. */
  confirmations(after: number, limit: number): Promise<Confirmation[]>;
  /** Those with the highest numbers. */
  newestConfirmations(limit: number): Promise<Confirmation[]>;
  /** Writes in which block a transaction is, where the journal has it in another one or in none. */
  reconfirm(transactionId: number, block: BlockReference): Promise<void>;
  /**
   * Goes on from an entry whose digest is known to a later one.
   * @throws RangeError when an entry between is missing, or does not give its digest or that of its checkpoint
   */
  walk(from: JournalHead, to: number): Promise<JournalHead>;
  /** Closed anchors only. */
  anchor(hash: Uint8Array): Promise<AnchorStanding | undefined>;
}
