import type {
  Address,
  ContractCall,
  Filler,
  QueuedTransaction,
  FinalOutcome,
  SignedTransaction,
  TransactionOutcome,
} from "../transaction.ts";

/** The relayer's transactions, seen from the domain: intents go in through {@link Journal}, outcomes come out here. */
export interface Transactions {
  /** Says that intents were written; they are signed and sent in the order of their ids. */
  wake(): void;
  /**
   * Waits for the outcome of an intent.
   * @param waitMilliseconds after which the answer is `pending`
   */
  outcome(id: number, waitMilliseconds: number): Promise<TransactionOutcome>;
  /** @param listener Called with the ids of transactions whose outcome this process has written to disk */
  onOutcome(listener: (ids: readonly number[]) => void): void;
  /** Takes back an intent that was not signed yet; false when it was, and will be mined. */
  cancel(id: number): Promise<boolean>;
}

export interface IntentStore {
  /** Writes a call the relayer has to make; returns its id. */
  insert(call: ContractCall): Promise<number>;
}

/** The relayer's transactions on disk, as its sender needs them. */
export interface TransactionStore {
  /**
   * The oldest waiting intents, in order.
   * @param owner whose intents they are; those of nobody come with them
   * @param othersBefore Unix milliseconds: older intents of other relayers are taken over
   */
  queued(owner: Address, limit: number, othersBefore: number): Promise<QueuedTransaction[]>;
  /**
   * Writes what was signed, in one step that no cancellation can interrupt. Signing can take long, and is over by then.
   * @returns what was written: up to the first one whose intent does not wait any longer, because nonces have to follow
   * each other
   */
  claim(sender: Address, signed: readonly SignedTransaction[]): Promise<SignedTransaction[]>;
  /** Signed and not settled, by nonce. */
  inFlight(sender: Address): Promise<SignedTransaction[]>;
  /**
   * Intended before a time (Unix milliseconds), signed with the keys of others, and not settled: they may have gone for
   * good. With each come those of its key that have to be mined before it, however young. By key, then by nonce.
   */
  leftByOthers(sender: Address, before: number): Promise<SignedTransaction[]>;
  /** The highest nonce ever signed with a key. */
  highestNonce(sender: Address): Promise<number | undefined>;
  /** How many nonces of each key were settled, up to the highest one. */
  settledNonces(): Promise<{ readonly key: Address; readonly nonces: number }[]>;
  /** The newest block known to hold a transaction of a key with a lower nonce. */
  lastMinedBlock(sender: Address, beforeNonce: number): Promise<number | undefined>;
  /** Takes the signature off a transaction whose nonce was used up by somebody else: its intent waits again. */
  requeue(id: number): Promise<void>;
  /**
   * Settles a transaction that the node will never take, and puts an empty one in its nonce's place.
   * @returns the filler's id
   */
  refuse(id: number, reason: string, filler: Filler): Promise<number>;
  recordOutcomes(settlements: readonly FinalOutcome[]): Promise<void>;
  /**
   * Takes back that transactions of a key were mined, from a nonce on: the chain has gone back to before them. What
   * they confirmed is pending again.
   * @returns those that can be sent again, by nonce
   */
  reopen(sender: Address, fromNonce: number): Promise<SignedTransaction[]>;
  cancel(id: number): Promise<boolean>;
  outcome(id: number): Promise<TransactionOutcome>;
  /** Intents and signed transactions without an outcome. */
  countInFlight(): Promise<number>;
}
