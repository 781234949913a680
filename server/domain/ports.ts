/**
 * What the domain needs of the world, stated in its own terms. Adapters implement these ports and meet in
 * `context.ts`; they never import each other.
 */
import type { BlockReference } from "./block.ts";
import type { BftReport } from "./consensus/bft-report.ts";
import type { NetworkFault } from "./consensus/network-faults.ts";
import type {
  Address,
  ContractCall,
  TransactionOutcome,
  QueuedTransaction,
  SignedTransaction,
  Filler,
  Settlement,
} from "./transaction.ts";
import type { ChatStore } from "./chat/ports.ts";
import type { Account, Session, SessionChange } from "./sessions/session.ts";
import type { StoredRowData } from "./records/compression.ts";
import type { DecodedTransaction, RowFunction } from "./records/transaction.ts";
import type { RecordRow, RecordQuery } from "./records/record.ts";
import type { JournalSource } from "./journal/ports.ts";
import type { AnchorContent } from "./proofs/anchor.ts";
import type { AnchorStore, ProofStore } from "./proofs/stores.ts";

/** Wall clock in milliseconds since 1970. */
export type Clock = () => number;

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

/** Enrols and revokes accounts on chain; each returns when it is mined. */
export interface Registrar {
  enroll(account: Address, scope: Account["scope"]): Promise<void>;
  revoke(account: Address): Promise<void>;
}

/** Keystores of accounts: scrypt-encrypted signing keys. */
export interface KeyVault {
  /** A new account's signing key, and the same encrypted with a password. */
  create(password: string): Promise<{ address: Address; keystore: string; signingKey: Uint8Array }>;
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
  insertCall(rowId: bigint, stored: StoredRowData, signingKey: Uint8Array): ContractCall;
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
  /** Puts a hash alone on chain, or the root over `size` hashes. */
  anchorCall(content: AnchorContent): ContractCall;
  anchorOf(hash: Uint8Array): Promise<AnchorOnChain | undefined>;
  /** The block that holds a transaction in which the contract was given a hash; `undefined` when none does. */
  blockOf(transactionHash: Uint8Array, hash: Uint8Array): Promise<BlockReference | undefined>;
}

/** In the place of an account: a line that concerns all of them. */
export const EVERYBODY: Address = "";

/** A line of the service log that concerns an account, or {@link EVERYBODY}. */
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
  readonly entries: JournalSource;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly records: RecordStore;
  readonly proofs: ProofStore;
  readonly anchors: AnchorStore;
  readonly intents: IntentStore;
  readonly serviceLog: ServiceLogStore;
  readonly chats: ChatStore;
}

export interface AccountStore {
  insert(account: { address: Address; keystore: string; scope: Account["scope"]; createdAt: number }): Promise<void>;
  find(address: Address): Promise<Account | undefined>;
  list(): Promise<Account[]>;
  /** Accounts that are enrolled. */
  count(): Promise<number>;
  /** Takes over what the registry contract says of an account; nothing happens for one that is not ours. */
  follow(address: Address, change: AccountChange): Promise<void>;
}

/** What the registry contract's log says of an account. */
export type AccountChange =
  | { readonly enrolled: true; readonly scope: Account["scope"] }
  | { readonly enrolled: false; readonly revokedAt: number };

export interface SessionStore {
  insert(session: Session): Promise<void>;
  find(tokenHash: Uint8Array): Promise<Session | undefined>;
  /**
   * Moves a session from one state to another.
   * @returns false when it was not in `from`: somebody else was first
   */
  transition(tokenHash: Uint8Array, from: Session["state"], change: SessionChange): Promise<boolean>;
  /**
   * Sessions that a call of this relayer was about to change when its process ended.
   * @param othersBefore Unix milliseconds: calls of other relayers that began before are over as well
   */
  unsettled(othersBefore: number): Promise<Session[]>;
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

export interface IntentStore {
  /** Writes a call the relayer has to make; returns its id. */
  insert(call: ContractCall): Promise<number>;
}

export interface ServiceLogStore {
  /** Adds a line, and forgets the account's oldest ones. */
  append(line: ServiceLogLine): Promise<void>;
  /** Those that concern an account, newest first. */
  newest(account: Address, limit: number): Promise<ServiceLogLine[]>;
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
  underWay(sender: Address): Promise<SignedTransaction[]>;
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
  settle(settlements: readonly Settlement[]): Promise<void>;
  /**
   * Takes back that transactions of a key were mined, from a nonce on: the chain has gone back to before them. What
   * they confirmed is pending again.
   * @returns those that can be sent again, by nonce
   */
  reopen(sender: Address, fromNonce: number): Promise<SignedTransaction[]>;
  cancel(id: number): Promise<boolean>;
  outcome(id: number): Promise<TransactionOutcome>;
  /** Intents and signed transactions without an outcome. */
  countUnderWay(): Promise<number>;
}

/** Decodes call data into the shape that the decode route answers; throws `malformed` naming what is wrong. */
export type TransactionDecoder = (inputdata: string, expected: RowFunction) => DecodedTransaction;

/** System statistics that the panel shows. */
export interface ServiceStatistics {
  readonly records: number;
  readonly accounts: number;
  /** Live sessions. */
  readonly sessions: number;
  /** Number of the newest block. */
  readonly block: number;
  /** Seconds since the server started. */
  readonly uptime: number;
}

/** Pieces of HTML that the panel shows. */
export interface PanelFragments {
  /** The parts of the panel that this server offers. */
  readonly extensions: readonly { name: string; title: string; version: string }[];
  login(view: { formToken: string }): string;
  area(view: {
    account: Address;
    token: string;
    secureKey: string;
    /** Seconds the session has left. */
    remaining: number;
    statistics: ServiceStatistics;
    log: readonly { time: string; level: string; message: string }[];
    formToken: string;
  }): string;
}

/** The chain's node and network, as an operator wants to see them. */
export interface NodeReport {
  readonly client: string;
  readonly chainId: number;
  readonly blockNumber: number;
  /** Block time, Unix seconds. */
  readonly blockTime: number;
  readonly syncing: boolean;
  readonly peers: number;
  readonly consensus: {
    readonly protocol: string;
    /** Names or addresses. */
    readonly validators: readonly string[];
    /** Validators that have to agree on a block. */
    readonly quorum: number;
    /** Who proposed the newest block: a name or an address. */
    readonly proposer: string;
    /**
     * With names or addresses of validators, and how many rounds were lost since the start; `undefined` on a chain whose
     * blocks no validators seal.
     */
    readonly bft: (BftReport & { readonly roundChanges: number }) | undefined;
  };
  /** Its peers against the list of those that the network has; by names, addresses or hosts. */
  readonly network: { readonly listed: number | undefined; readonly missing: readonly string[]; readonly unlisted: readonly string[] };
  /** Where the node can be asked, when there are several addresses. */
  readonly addresses: readonly AddressState[];
  /** Balance of the relayer's key, in wei. */
  readonly balance: bigint;
}

/** One of the addresses at which the chain's nodes are asked. */
export interface AddressState {
  /** Without name, password and query. */
  readonly address: string;
  /** Whether calls go there. */
  readonly active: boolean;
  readonly reachable: boolean;
  /** The newest block that the node has; `undefined` before it was first asked. */
  readonly blockNumber: number | undefined;
  /** Why it is not used. */
  readonly reason: string | undefined;
}

/** Asks the node how it is; throws `chain_unavailable` when it does not answer. */
export type NodeInspector = () => Promise<NodeReport>;

/** Business events, for logs, metrics and alerts. None of them ever throws. */
export interface Telemetry {
  loggedIn(account: Address): void;
  /** @param isAccount whether there is such an account at all */
  loginRefused(login: Address, isAccount: boolean): void;
  /** @param who A login, a network address, or both */
  loginsLockedOut(who: string, seconds: number): void;
  /** A login was refused unseen: it is locked out. */
  loginNotTried(): void;
  sessionChanged(account: Address, change: "validated" | "extended" | "closed"): void;
  recordStored(account: Address, rowId: bigint): void;
  proofsAccepted(count: number): void;
  proofConfirmed(seconds: number): void;
  /** @param size Hashes under its root; 0 for a hash alone */
  batchClosed(size: number): void;
  /** The chain does not take a batch; it is halved to find out why. */
  anchorSplit(hashes: number, reason: string): void;
  /** The chain does not take an anchor, and it cannot be halved: it is set aside and tried again ever more rarely. */
  anchorFailed(hash: Uint8Array, hashes: number, reason: string): void;
  /** Proofs wait longer for the chain than is promised; told at every check, reported once. */
  anchoringLate(seconds: number): void;
  /** None does, or none any longer. */
  anchoringInTime(): void;
  /** The journal could not be written. */
  journalFailing(error: unknown): void;
  /**
   * Journal, replicas and chain disagree; told at every check, reported once.
   * @param subject About what: the same text each time
   * @param isNews false when another process has told those who have accounts
   */
  journalDiverged(subject: string, message: string, isNews?: boolean): void;
  /** They agree: a divergence is over, if there was one. */
  journalAgreed(subject: string, isNews?: boolean): void;
  /** They disagreed, and what could be mended was. */
  journalRepaired(message: string): void;
  /** The chain has come back older than it was; what it lost is sent again. */
  chainWentBack(transactions: number): void;
  /** It has again all that it had lost. */
  chainMadeWhole(): void;
  /** A replica is further behind the journal than it may be, or its target is away; told once. */
  replicaLagging(name: string, seconds: number, entries: number): void;
  replicaCaughtUp(name: string): void;
  /** The chain's node does not answer; told at every look, reported once. */
  nodeDown(reason: string): void;
  nodeUp(): void;
  /** The node is not where its network is, or the network makes no blocks. */
  syncLost(reason: string): void;
  syncRegained(): void;
  /** What is wrong with the network, all of it, and nothing else any more; told at every look, each reported once. */
  networkFaults(faults: readonly NetworkFault[]): void;
}
