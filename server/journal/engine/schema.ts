import type { Generated, Selectable } from "kysely";
import type { TransactionPurpose } from "../../chain/transaction.ts";

/** Tables of the journal. Hashes are blobs; times ending in `_at` are Unix milliseconds. */
export interface Schema {
  accounts: AccountsTable;
  changed_keystores: ChangedKeystoresTable;
  issuer_keys: IssuerKeysTable;
  sessions: SessionsTable;
  keyed_calls: KeyedCallsTable;
  stores: StoresTable;
  login_failures: LoginFailuresTable;
  login_sources: LoginSourcesTable;
  records: RecordsTable;
  index_progress: IndexProgressTable;
  leader: LeaderTable;
  entries: EntriesTable;
  resolutions: ResolutionsTable;
  anchors: AnchorsTable;
  confirmations: ConfirmationsTable;
  transactions: TransactionsTable;
  transaction_versions: TransactionVersionsTable;
  service_log: ServiceLogTable;
  chain_identity: ChainIdentityTable;
  validator_sets: ValidatorSetsTable;
  recovery_verifications: RecoveryVerificationsTable;
  recovery_documents: RecoveryDocumentsTable;
  api_keys: ApiKeysTable;
  alerts: AlertsTable;
  storage_probe: StorageProbeTable;
  chat_updates: ChatUpdatesTable;
  chat_users: ChatUsersTable;
  chat_deletions: ChatDeletionsTable;
}

/** Accounts. `scope` and `enrolled` follow the event log of the registry contract. */
export interface AccountsTable {
  address: string;
  keystore: string;
  scope: "full" | "read";
  enrolled: 0 | 1;
  created_at: number;
  revoked_at: number | null;
  /** Sequence number in the journal. */
  sequence: number;
}

/** Keystores of accounts whose password was changed: they replace those of the journal's entries. */
export interface ChangedKeystoresTable {
  address: string;
  keystore: string;
  changed_at: number;
}

/** Entries: keys of the issuer of bundles and statements. */
export interface IssuerKeysTable {
  sequence: number;
  public_key: Uint8Array;
  /** The private key, encrypted with a password; `null` without one. */
  keystore: string | null;
  created_at: number;
}

/** Sessions by the hash of their token. */
export interface SessionsTable {
  token_hash: Uint8Array;
  session_id: Uint8Array;
  account: string;
  state: "opening" | "active" | "replacing" | "ended";
  /** 0 while the session is opening. */
  expires_at_seconds: number;
  validated: 0 | 1;
  /** Both keys are empty once the token has ended or expired. */
  wrapped_secure_key: Uint8Array;
  encrypted_signing_key: Uint8Array;
  transaction_id: number;
}

/** Proofs with an idempotency key, of the last day. */
export interface KeyedCallsTable {
  /** SHA-256 of the caller and the key. */
  id: Uint8Array;
  /** SHA-256 of the route and the body. */
  digest: Uint8Array;
  begun_at: number;
}

/** Entries: records that accounts store. */
export interface StoresTable {
  sequence: number;
  account: string;
  row_id: string;
  call: Uint8Array;
  idempotency_key: Uint8Array | null;
  request: Uint8Array;
  accepted_at: number;
  /** The transaction with the call, which the entry does not name; `null` when it is lost. */
  transaction_id: number | null;
}

/** Failed logins by login, by source, or by both: see `failure-tracker.ts`. */
export interface LoginFailuresTable {
  key: string;
  count: number;
  window_ends_at: number;
  lock_outs: number;
  /** Unix milliseconds. */
  locked_until: number;
  forgotten_at: number;
}

/** Network addresses that accounts have logged in from. */
export interface LoginSourcesTable {
  login: string;
  source: string;
  logged_in_at: number;
}

/**
 * The record index: each signed row once. It can be dropped and rebuilt from the chain alone. At most one row of a
 * row id is not overwritten.
 */
export interface RecordsTable {
  /** 1, 2, 3 and so on, in the order of the chain's log. */
  position: number;
  /** Decimal: a row written by another client can have any uint256. */
  row_id: string;
  /** Of row data and signature. */
  digest: Uint8Array;
  sender: string;
  code: string;
  topic: string;
  created_at: string;
  payload: string;
  transaction_hash: Uint8Array;
  block_number: number;
  /** The transaction that wrote another row over this one. */
  overwritten_by: Uint8Array | null;
  /** The authentication code of all of the row, by the journal's key: see `record-code.ts`. */
  code_of_row: Uint8Array;
}

/** The state of the record index: one row. */
export interface IndexProgressTable {
  id: 1;
  /** The table on chain that it is of. */
  table_name: string;
  /** The last indexed block; `null` before the first one. */
  block_number: number | null;
  block_hash: Uint8Array | null;
  /** The newest block when the index was begun. */
  built_to: number | null;
  /** Number of rows of the index. */
  rows: number;
  /** Over the digests of all rows, in their order. */
  digest: Uint8Array;
  /** Number of rows that others were written over. */
  marked: number;
  /** The authentication code of the position, by the journal's key: see `record-code.ts`. */
  code: Uint8Array | null;
}

/**
 * The journal: what relayers append, at most 100 entries a row. Other tables with facts of entries are for finding.
 * `sqlite-index.ts` and `postgres-index.ts` have the tables with the keys of proofs.
 */
interface EntriesTable {
  first_sequence: number;
  last_sequence: number;
  /** Number of proofs up to the last entry. */
  proofs: number;
  /** Digest before the first entry. */
  previous: Uint8Array;
  /** Digest of the last entry. */
  digest: Uint8Array;
  /** The authentication code of all of the row, by the journal's key. */
  code: Uint8Array;
  /** The texts of the entries: see `row-body.ts`. */
  body: Uint8Array;
}

/** The entries by which operators acknowledged divergences. */
export interface ResolutionsTable {
  sequence: number;
}

/** Content to be anchored: a single hash (`size` 0) or the root over `size` hashes. */
export interface AnchorsTable {
  id: Generated<number>;
  /** The entry where reading its leaves begins: its first proof. */
  first_sequence: number;
  /** `null` while the anchor is open, and then without a transaction. */
  hash: Uint8Array | null;
  /** While it is open, the leaves so far. */
  size: number;
  transaction_id: number | null;
  /** The current confirmation; `null` when there is none or it is superseded. */
  confirmation: number | null;
  /** The entry whose digest is anchored; `null` when the anchor is for proofs. */
  checkpoint: number | null;
  /** The authentication code of a closed anchor, by the journal's key: see `anchor-code.ts`. */
  code: Uint8Array | null;
  opened_at: number;
}

/** Entries: confirmations on chain. A superseded confirmation is kept, and another one follows. */
export interface ConfirmationsTable {
  sequence: number;
  anchor_id: number;
  hash: Uint8Array;
  size: number;
  checkpoint: number | null;
  /** Address of the contract that has the anchor. */
  contract: string;
  transaction_hash: Uint8Array;
  block_number: number;
  block_hash: Uint8Array;
  /** Unix seconds. */
  block_time: number;
  validator: string;
}

/** The relayer's transactions, from intent to outcome. */
export interface TransactionsTable {
  id: Generated<number>;
  purpose: TransactionPurpose;
  to_address: string;
  /** Call data; dropped once the transaction is mined, because the signed bytes contain it. */
  data: Uint8Array | null;
  /** The authentication code of a call, by the journal's key: see `call-code.ts`. Without it nothing is signed. */
  code: Uint8Array | null;
  state: "queued" | "sent" | "confirmed" | "reverted" | "refused" | "cancelled";
  /** Address of the key that signed it or will sign it. */
  sender: string | null;
  nonce: number | null;
  /** Signed bytes of the newest version, or of the mined one; sent again unchanged after a rollback of the chain. */
  raw: Uint8Array | null;
  hash: Uint8Array | null;
  block_number: number | null;
  block_hash: Uint8Array | null;
  /** Unix seconds. */
  block_time: number | null;
  validator: string | null;
  reason: string | null;
  created_at: number;
  outcome_at: number | null;
}

/** All versions of transactions that were replaced by ones with a higher fee. */
export interface TransactionVersionsTable {
  /** In the order in which they were signed. */
  number: Generated<number>;
  transaction_id: number;
  raw: Uint8Array;
  hash: Uint8Array;
}

export interface ServiceLogTable {
  id: Generated<number>;
  /** Unix milliseconds. */
  time: number;
  level: "info" | "warn";
  account: string;
  message: string;
}

/** The relayer that writes, on PostgreSQL; no row before the first one. */
interface LeaderTable {
  id: 1;
  /** A new number for each leadership. */
  epoch: number;
  /** Its id in the configuration. */
  holder: string;
}

/** The chain that the journal belongs to; one row after the first connection to the chain. */
export interface ChainIdentityTable {
  id: 1;
  chain_id: number;
  genesis_hash: Uint8Array;
  /** JSON: address and keccak-256 of the code of each contract, by name. */
  contracts: string;
}

/** Validators of a BFT chain from a block on. */
export interface ValidatorSetsTable {
  from_block: number;
  /** Lower-case addresses, sorted, joined with commas. */
  validators: string;
  /** The authentication code, by the journal's key. */
  code: Uint8Array;
}

/** Comparisons of restored documents with the records. */
export interface RecoveryVerificationsTable {
  id: string;
  started_at: number;
  /** The entry with the result; `null` while it is unfinished. */
  sequence: number | null;
  /** Digests of its documents, which the entry covers: see `document-digests.ts`. */
  document_digests: Uint8Array | null;
  /** Its caller; `null` when it was restored from a replica. */
  caller: string | null;
  /** Documents that it counts as, while they are stored; 0 afterwards. */
  quota: Generated<number>;
}

/** Restored documents of a comparison: the first bytes of their ids' SHA-256. */
export interface RecoveryDocumentsTable {
  verification_id: string;
  document: Uint8Array;
}

/** API keys of the integrity-proof API. */
export interface ApiKeysTable {
  id: string;
  name: string;
  scope: "read" | "write";
  digest: Uint8Array;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

/** Kinds of alerts; `operations/alert.ts` describes them. */
type AlertKind =
  | "node_down"
  | "wrong_chain"
  | "sync_lost"
  | "degraded_performance"
  | "journal_divergence"
  | "storage_failure"
  | "clock_skew"
  | "foreign_writes"
  | "low_balance";

/** Raised and resolved alerts. */
export interface AlertsTable {
  id: Generated<number>;
  kind: AlertKind;
  subject: string;
  message: string;
  /** JSON: the texts before. */
  earlier: string;
  raised_at: number;
  resolved_at: number | null;
}

/** One row that is written regularly, to find out whether the database can be written. */
export interface StorageProbeTable {
  id: 1;
  /** Unix milliseconds. */
  written_at: number;
}

/** Incoming chat updates; a processed one has no body. The bot encrypts bodies and memos. */
export interface ChatUpdatesTable {
  number: number;
  received_at: number;
  body: Uint8Array | null;
  memo: Uint8Array | null;
}

/** State of the bot for each user, encrypted. */
export interface ChatUsersTable {
  id: number;
  account: string | null;
  state: Uint8Array;
}

/** Sent messages that the bot deletes later. */
export interface ChatDeletionsTable {
  chat: number;
  message: number;
  due_at: number;
}

export type AnchorRow = Selectable<AnchorsTable>;
export type AccountRow = Selectable<AccountsTable>;
export type SessionRow = Selectable<SessionsTable>;
export type TransactionRow = Selectable<TransactionsTable>;
