/**
 * What the domain needs of the world, stated in its own terms. Adapters implement these ports and meet in
 * `context.ts`; they never import each other.
 */
import type { Account, Session, SessionChange } from "./sessions/session.ts";
import type { RecordRow, RecordQuery } from "./records/record.ts";
import type { NewProof, StoredProof } from "./proofs/proof.ts";

/** A 20-byte address as `0x` and 40 hex digits with EIP-55 checksum. */
export type Address = string;

/** Wall clock in milliseconds since 1970. */
export type Clock = () => number;

/** Which contract a transaction calls. */
export type ContractName = "SessionRegistry" | "EventTable" | "ProofAnchor";

/** What a transaction is for. */
export type TransactionPurpose =
  | "session_open"
  | "session_validate"
  | "session_extend"
  | "session_close"
  | "record"
  | "anchor"
  | "nonce_filler";

/** A call the relayer has to make; on disk before it is signed. */
export interface ContractCall {
  readonly purpose: TransactionPurpose;
  readonly contract: ContractName;
  /** ABI-encoded call data. */
  readonly data: Uint8Array;
}

/** A block as the journal keeps it with a transaction. */
export interface BlockReference {
  readonly number: number;
  readonly hash: Uint8Array;
  /** Block time, Unix seconds. */
  readonly time: number;
  /** The proposer's address, or the name configured for it. */
  readonly validator: string;
}

/** How a transaction ended, or that it has not yet. */
export type TransactionOutcome =
  | { readonly state: "confirmed"; readonly hash: Uint8Array; readonly block: BlockReference }
  | { readonly state: "reverted" | "refused"; readonly reason: string }
  | { readonly state: "cancelled" }
  | { readonly state: "pending"; readonly sent: boolean };

/** The relayer's transactions, seen from the domain: intents go in through {@link Journal}, outcomes come out here. */
export interface Transactions {
  /** Says that intents were written; they are signed and sent in the order of their ids. */
  wake(): void;
  /**
   * Waits for the outcome of an intent.
   * @param waitMilliseconds after which the answer is `pending`
   */
  outcome(id: number, waitMilliseconds: number): Promise<TransactionOutcome>;
  /** Takes back an intent that was not signed yet; false when it was, and will be mined. */
  cancel(id: number): Promise<boolean>;
}

/** Sessions as the registry contract has them. */
export interface SessionChain {
  /** Lifetime of a session and the minimum an extension needs, in seconds. */
  rules(): Promise<{ lifetime: number; minimumToExtend: number }>;
  /** `undefined` for a token hash never seen. */
  sessionOf(tokenHash: Uint8Array): Promise<{ expiresAt: number; validated: boolean; ended: boolean } | undefined>;
  openCall(account: Address, tokenHash: Uint8Array, signingKey: Uint8Array): ContractCall;
  validateCall(tokenHash: Uint8Array, newTokenHash: Uint8Array): ContractCall;
  extendCall(tokenHash: Uint8Array, newTokenHash: Uint8Array): ContractCall;
  closeCall(tokenHash: Uint8Array): ContractCall;
}

/** Keystores of accounts: scrypt-encrypted signing keys. */
export interface KeyVault {
  /** Opens a keystore; `undefined` when the password is wrong. Takes as long for a wrong password as for a right one. */
  unlock(keystore: string, password: string): Promise<Uint8Array | undefined>;
  /** Takes as long as {@link unlock}, for logins that do not exist. */
  unlockNothing(password: string): Promise<void>;
}

/** Rows of the event table contract. */
export interface RecordChain {
  /** Name of the table that records go to. */
  readonly table: string;
  /** Signs row data as stored with the account's key and encodes the `insert` call. */
  insertCall(rowId: bigint, rowData: Uint8Array, compressed: boolean, signingKey: Uint8Array): ContractCall;
}

/** When the chain first saw a hash. */
export interface AnchorOnChain {
  /** Block time, Unix seconds. */
  readonly time: number;
  readonly blockNumber: number;
  /** Hashes under the root; 0 for a hash anchored alone. */
  readonly size: number;
}

/** Anchors of the proof contract. */
export interface AnchorChain {
  readonly chainId: number;
  /** Address of the contract. */
  readonly contract: Address;
  anchorCall(hash: Uint8Array): ContractCall;
  anchorOf(hash: Uint8Array): Promise<AnchorOnChain | undefined>;
}

/** A line of the service log that concerns an account. */
export interface ServiceLogLine {
  /** Unix milliseconds. */
  readonly time: number;
  readonly level: "info" | "warn";
  readonly account: Address;
  readonly message: string;
}

/** Everything that must survive. What is done inside {@link atomically} is on disk whole or not at all. */
export interface Journal {
  atomically<T>(work: (journal: Journal) => Promise<T>): Promise<T>;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly records: RecordStore;
  readonly proofs: ProofStore;
  readonly intents: IntentStore;
  readonly serviceLog: ServiceLogStore;
}

export interface AccountStore {
  insert(account: { address: Address; keystore: string; scope: Account["scope"]; createdAt: number }): Promise<void>;
  find(address: Address): Promise<Account | undefined>;
  list(): Promise<Account[]>;
  count(): Promise<number>;
}

export interface SessionStore {
  insert(session: Session): Promise<void>;
  find(tokenHash: Uint8Array): Promise<Session | undefined>;
  /**
   * Moves a session from one state to another.
   * @returns false when it was not in `from`: somebody else was first
   */
  transition(tokenHash: Uint8Array, from: Session["state"], change: SessionChange): Promise<boolean>;
  /** Sessions whose transaction had no outcome when the process ended. */
  unsettled(): Promise<Session[]>;
  countLive(now: number): Promise<number>;
  /** Forgets sessions that were over before `time` (Unix seconds). */
  forgetBefore(time: number): Promise<void>;
}

export interface RecordStore {
  /** The next row id of a table: starts at 1, never reused. */
  nextRowId(table: string): Promise<bigint>;
  search(query: RecordQuery): Promise<RecordRow[]>;
  count(): Promise<number>;
}

export interface ProofStore {
  insert(proof: NewProof): Promise<void>;
  byRecordHash(recordHash: Uint8Array): Promise<StoredProof | undefined>;
  /** Newest first. */
  byDocument(documentId: string): Promise<StoredProof[]>;
  /** By the document's own hash, oldest first. */
  byHash(hash: Uint8Array): Promise<StoredProof[]>;
  byTransaction(transactionHash: Uint8Array): Promise<StoredProof[]>;
  /** Anchors whose transaction failed for good, to be tried again. */
  failedAnchors(): Promise<{ recordHash: Uint8Array }[]>;
  /** Gives an anchor whose transaction failed a new one. */
  retry(recordHash: Uint8Array, transactionId: number): Promise<void>;
  counts(): Promise<{ records: number; pending: number }>;
}

export interface IntentStore {
  /** Writes a call the relayer has to make; returns its id. */
  insert(call: ContractCall): Promise<number>;
}

export interface ServiceLogStore {
  append(line: ServiceLogLine): Promise<void>;
  /** Newest first. */
  newest(account: Address, limit: number): Promise<ServiceLogLine[]>;
}

/** The local copy of the event table. */
export interface RecordCopy {
  /** Waits until the copy holds everything up to a block; false when it does not within the wait. */
  reached(blockNumber: number, waitMilliseconds: number): Promise<boolean>;
}

/** Business events, for logs, metrics and alerts. None of them ever throws. */
export interface Telemetry {
  loggedIn(account: Address): void;
  loginRefused(login: string): void;
  sessionChanged(account: Address, change: "validated" | "extended" | "closed"): void;
  recordStored(account: Address, rowId: bigint): void;
  proofAccepted(): void;
  proofConfirmed(seconds: number): void;
  journalDiverged(recordHash: Uint8Array, message: string): void;
}
