import type { IntentStore } from "../chain/transactions/transactions.ts";
import type { Atomic } from "../journal/engine/atomic.ts";
import type { CheckpointStore } from "../journal/integrity/checkpoint-anchor.ts";
import type { BlockInclusion, StoredAnchor } from "../journal/integrity/anchor.ts";
import type { AnchorContent } from "../chain/contracts/anchor.ts";
import type { PlacedProof, StoredProof } from "./proof.ts";

/** The proofs of the journal. */
export interface ProofStore {
  insert(proofs: readonly PlacedProof[]): Promise<void>;
  /** Those with one of the recorded hashes, oldest first. */
  byRecordHashes(recordHashes: readonly Uint8Array[]): Promise<StoredProof[]>;
  /** Newest first. */
  byDocument(documentId: string): Promise<StoredProof[]>;
  /** By the document's own hash, oldest first; read some at a time, because one content can be that of any number. */
  byHash(hash: Uint8Array): AsyncIterable<StoredProof>;
  /** In the order of their places, from a place on. */
  byAnchor(anchorId: number, fromLeaf: number, limit: number): Promise<StoredProof[]>;
  counts(): Promise<{ records: number; pending: number }>;
}

/** The anchors of the journal. */
export interface AnchorStore extends CheckpointStore {
  /** Begins an anchor that proofs can be placed under; returns its id. */
  open(openedAt: number): Promise<number>;
  /** False once somebody closed it. */
  isOpen(id: number): Promise<boolean>;
  /** Gives an open anchor its content and the transaction that puts it on chain. */
  close(id: number, content: AnchorContent & { readonly transactionId: number }): Promise<void>;
  /** Open anchors of this relayer, and those of others opened before a time (Unix milliseconds). */
  leftOpen(othersBefore: number): Promise<number[]>;
  /** The recorded hashes under an anchor, by their places. */
  leaves(id: number): Promise<Uint8Array[]>;
  /** Closed ones only. */
  find(id: number): Promise<StoredAnchor | undefined>;
  byHash(hash: Uint8Array): Promise<StoredAnchor | undefined>;
  byTransaction(transactionHash: Uint8Array): Promise<StoredAnchor | undefined>;
  /** Where the chain had an anchor and has it no more, oldest first. */
  superseded(id: number): Promise<BlockInclusion[]>;
  /** Anchors of this relayer whose transaction has no outcome. */
  inFlight(): Promise<StoredAnchor[]>;
  /** Anchors whose transaction failed for good, whoever sent it. */
  failed(): Promise<StoredAnchor[]>;
  /** Gives an anchor whose transaction failed a new one. */
  retry(id: number, transactionId: number): Promise<void>;
  /**
   * Puts what was under an anchor under others: each takes the places that follow those of the one before it.
   * @returns the new anchors' ids
   */
  split(id: number, parts: readonly SplitPart[]): Promise<number[]>;
  /** When the oldest proof was accepted that is not on chain, in Unix milliseconds. */
  oldestUnconfirmed(): Promise<number | undefined>;
}

/** A part of an anchor that is split; it takes as many places as there are hashes under it. */
export interface SplitPart extends AnchorContent {
  readonly transactionId: number;
}

/** The part of the journal that proofs need. */
export type ProofJournal = Atomic<{
  readonly proofs: ProofStore;
  readonly anchors: AnchorStore;
  readonly intents: IntentStore;
}>;
