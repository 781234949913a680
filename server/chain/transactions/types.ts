import type { BlockReference } from "../block.ts";
import type { VerifiedHeader } from "../evidence/verified-block.ts";
import type { ConfirmedAnchor, MinedAnchor } from "../contracts/anchors.ts";
import type {
  Address,
  ContractCall,
  Filler,
  QueuedTransaction,
  SignedTransaction,
  TransactionOutcome,
} from "../transaction.ts";

/**
 * The relayer's transactions, as other modules use them: intents are written to the journal, outcomes are awaited here.
 */
export interface Transactions {
  /** Wakes the sender: intents were written. They are signed and sent in the order of their ids. */
  wake(): void;
  /**
   * Waits for the outcome of an intent.
   * @param waitMilliseconds Maximum wait; a transaction without an outcome by then is `pending`
   */
  outcome(id: number, waitMilliseconds: number): Promise<TransactionOutcome>;
  onOutcome(listener: OutcomeListener): void;
  /** Cancels an intent that is not signed yet; returns false when it is signed and therefore will be mined. */
  cancel(id: number): Promise<boolean>;
}

/**
 * Called when this process has written outcomes to disk.
 * @param outcomes Of all transactions
 * @param anchors The anchors that they confirmed
 */
export type OutcomeListener = (
  outcomes: readonly (readonly [id: number, outcome: TransactionOutcome])[],
  anchors: readonly ConfirmedAnchor[],
) => void;

/**
 * Whether the success of a transaction counts, and the anchor that it confirms, if it is the call of one.
 * `unknown` when the chain's responses do not show it yet.
 */
export type SuccessVerdict = { readonly confirms: MinedAnchor | undefined } | "unknown" | { readonly rejected: string };

/** The outcome of a mined transaction. */
export interface FinalOutcome {
  readonly id: number;
  readonly state: "confirmed" | "reverted";
  readonly hash: Uint8Array;
  readonly block: BlockReference;
  readonly reason?: string;
  /** What it has anchored, according to its verified block. */
  readonly anchored?: MinedAnchor | undefined;
  /** The mined version of a transaction that was replaced. */
  readonly version?: SignedTransaction;
}

export interface IntentStore {
  /** Writes a call for the relayer to send; returns its id. */
  insert(call: ContractCall): Promise<number>;
}

/** What the outcomes of transactions have changed. */
export interface RecordedOutcomes {
  readonly confirmed: readonly ConfirmedAnchor[];
  /** Transactions that have anchored something else than the journal has under them: they confirm nothing. */
  readonly others: readonly number[];
}

/** A mined transaction of a key, with its block in the journal. */
export interface MinedNonce {
  readonly nonce: number;
  readonly block: number;
  readonly blockHash: Uint8Array;
}

/** The nonces of keys on disk. */
export interface NonceStore {
  /** Returns the newest version of the transaction of a key with the highest nonce below another one. */
  highest(sender: Address, below: number): Promise<Pick<SignedTransaction, "id" | "nonce" | "raw"> | undefined>;
  /** Gives a transaction of a key another nonce: none when that is `undefined`, or another transaction has it. */
  renumber(id: number, sender: Address, nonce: number | undefined): Promise<void>;
  /** Returns the number of mined nonces of each key, up to the highest one. */
  minedNonces(): Promise<{ readonly key: Address; readonly nonces: number }[]>;
  /** Returns the mined transaction of a key with the highest nonce below another one. */
  lastMined(sender: Address, beforeNonce: number): Promise<MinedNonce | undefined>;
  /**
   * Writes empty transactions for nonces that the chain expects and no intent has.
   * @returns their ids, in order
   */
  fill(fillers: readonly Filler[]): Promise<number[]>;
}

/** The relayer's transactions on disk, as its sender needs them. */
export interface TransactionStore extends NonceStore {
  /** Returns the oldest waiting intents, in order. */
  queued(limit: number): Promise<QueuedTransaction[]>;
  /**
   * Writes signed transactions, in one step that no cancellation can interrupt. Signing can take long and is done
   * before.
   * @param isCurrent Whether the nonces are still the next ones, when nothing else is written
   * @returns the written ones: up to the first one with an intent that is no longer queued, because nonces have no gaps
   */
  claim(sender: Address, signed: readonly SignedTransaction[], isCurrent?: () => boolean): Promise<SignedTransaction[]>;
  /**
   * Writes another version of a transaction without an outcome; the versions before stay on disk.
   * @returns whether it is written
   */
  replace(version: SignedTransaction): Promise<boolean>;
  /**
   * Returns transactions of a key that are signed and have no outcome, by nonce, with their versions in the order in
   * which they were signed.
   */
  inFlight(sender: Address): Promise<SignedTransaction[]>;
  /**
   * Returns transactions signed with other keys and without an outcome, by key, then by nonce, with their versions in
   * order.
   */
  inFlightOfOthers(sender: Address): Promise<SignedTransaction[]>;
  /**
   * Takes the signatures of anchors back, so that they are signed anew; fillers are cancelled, and others stay.
   * @returns the number of anchors
   */
  abandon(ids: readonly number[]): Promise<number>;
  /** Removes the signature of a transaction whose nonce was used elsewhere: its intent is queued again. */
  requeue(id: number): Promise<void>;
  /** Refuses an intent that is not signed. */
  reject(id: number, reason: string): Promise<void>;
  /**
   * Records outcomes, and confirms the anchors of the confirmed transactions.
   * @param blocks Blocks that have brought them, one after the other: what else they have brought is in the same commit
   */
  recordOutcomes(outcomes: readonly FinalOutcome[], blocks?: readonly VerifiedHeader[]): Promise<RecordedOutcomes>;
  /**
   * Removes the outcomes of transactions of a key, from a nonce on, after a rollback of the chain. The anchors that
   * they confirmed are pending again.
   * @returns the transactions to be sent again, by nonce
   */
  reopen(sender: Address, fromNonce: number): Promise<SignedTransaction[]>;
  cancel(id: number): Promise<boolean>;
  outcome(id: number): Promise<TransactionOutcome>;
  /** Intents and signed transactions without an outcome. */
  countInFlight(): Promise<number>;
}
