import type { Generated, Selectable } from "kysely";
import type { TransactionPurpose } from "../../chain/transaction.ts";

/** Tables of the journal. Hashes are blobs; times ending in `_at` are Unix milliseconds. */
export interface Schema {
  accounts: AccountsTable;
  sessions: SessionsTable;
  row_counters: RowCountersTable;
  records: RecordsTable;
  copy_progress: CopyProgressTable;
  journal_head: JournalHeadTable;
  proofs: ProofsTable;
  proof_months: ProofMonthsTable;
  proof_labels: ProofLabelsTable;
  proof_keys: ProofKeysTable;
  proof_keys_recent: RecentKeysTable;
  anchors: AnchorsTable;
  confirmations: ConfirmationsTable;
  transactions: TransactionsTable;
  service_log: ServiceLogTable;
  reconciliation: ReconciliationTable;
  divergences: DivergencesTable;
  recovery_verifications: RecoveryVerificationsTable;
  recovery_documents: RecoveryDocumentsTable;
  api_keys: ApiKeysTable;
  alerts: AlertsTable;
  alert_receivers: AlertReceiversTable;
  chat_updates: ChatUpdatesTable;
  chat_users: ChatUsersTable;
  chat_messages: ChatMessagesTable;
}

/** Accounts. `scope` and `enrolled` follow the registry contract's log. */
export interface AccountsTable {
  address: string;
  keystore: string;
  scope: "full" | "read";
  enrolled: 0 | 1;
  created_at: number;
  revoked_at: number | null;
  /** Its place among the journal's entries. */
  sequence: number;
  digest: Uint8Array;
}

/** Sessions by the hash of their token. */
export interface SessionsTable {
  token_hash: Uint8Array;
  account: string;
  state: "opening" | "active" | "replacing" | "ended";
  /** Unix seconds. */
  expires_at: number;
  validated: 0 | 1;
  wrapped_secure_key: Uint8Array;
  encrypted_signing_key: Uint8Array;
  transaction_id: number;
}

/** The last row id given out, per table on chain. */
export interface RowCountersTable {
  table_name: string;
  last_row_id: number;
}

/** The local copy of the event table: can be dropped and built again from the chain alone. */
export interface RecordsTable {
  position: Generated<number>;
  /** Decimal: a row written elsewhere can have any uint256. */
  row_id: string;
  sender: string;
  code: string;
  topic: string;
  created_at: string;
  payload: string;
  transaction_hash: Uint8Array;
  block_number: number;
}

/** The last block that the copy holds; no row before the first. */
export interface CopyProgressTable {
  id: 1;
  block_number: number;
  block_hash: Uint8Array;
}

/** The newest entry of the journal. Entries of all kinds share one sequence and one chain of digests. */
export interface JournalHeadTable {
  id: 1;
  sequence: number;
  digest: Uint8Array;
  /** Proofs among the entries. */
  proofs: number;
}

/**
 * Entries: a proof's own facts, written once, at acceptance. The recorded hash follows from them. Numbers come first,
 * the widest before the others: so PostgreSQL leaves no gaps between them.
 */
export interface ProofsTable {
  sequence: number;
  accepted_at: number;
  /** Unix seconds. */
  timestamp: number;
  /** Id of the first anchor that it was put under. When that was split, others are over parts of the batch. */
  batch_id: number;
  label_id: number | null;
  /** Place in the batch. Proofs whose recorded hashes are the same share one. */
  leaf_index: number;
  /** Whether it came to share the place of another. */
  alike: 0 | 1;
  /**
   * The first bytes of its digest: enough to find a row that was changed; the whole follows from the entries before.
   */
  link: Uint8Array;
  hash: Uint8Array;
  document_id: string;
  /** JSON of what the metadata hold besides timestamp, type and source. */
  metadata: string | null;
}

/** From which entry on proofs are of which month, on PostgreSQL: see `partition-map.ts`. */
export interface ProofMonthsTable {
  first_sequence: number;
  month: number;
}

/** Type and source of proofs, which many have in common. */
export interface ProofLabelsTable {
  id: Generated<number>;
  /** JSON array of both. */
  text: string;
}

/** What proofs are found by: see `key-merge.ts`. */
export interface ProofKeysTable {
  /** The first bits of the keys. */
  bucket: number;
  /** The first bits of the entries' numbers. */
  epoch: number;
  /** The rest of both: see `key-codec.ts`. */
  entries: Uint8Array;
}

/** What proofs are found by that came last. */
export interface RecentKeysTable {
  key: number;
  sequence: number;
}

/** What is to be on chain: a hash alone (`size` 0) or the root over `size` hashes. */
export interface AnchorsTable {
  id: Generated<number>;
  /** Id of the anchor that its leaves were first put under: its own, unless that was split. */
  batch_id: number;
  /** The leaves of the batch that are its own; an open anchor has all that are to come. */
  first_leaf: number;
  last_leaf: number;
  /** Between which entries its proofs are, but for those that are alike. */
  first_sequence: number;
  last_sequence: number;
  /** Not known while the anchor is open, which is as long as it has no transaction either. */
  hash: Uint8Array | null;
  size: number;
  transaction_id: number | null;
  /** The newest entry that confirms it, as long as it holds. */
  confirmation: number | null;
  /** The entry of the journal whose digest it is for; `null` when it is for proofs. */
  checkpoint: number | null;
  /** Address of the relayer that opened it. */
  relayer: string;
  opened_at: number;
}

/** Entries: what the chain confirmed. One that holds no longer stays, and another one follows. */
export interface ConfirmationsTable {
  sequence: number;
  anchor_id: number;
  batch_id: number;
  first_leaf: number;
  hash: Uint8Array;
  size: number;
  checkpoint: number | null;
  transaction_hash: Uint8Array;
  block_number: number;
  block_hash: Uint8Array;
  /** Unix seconds. */
  block_time: number;
  validator: string;
  digest: Uint8Array;
}

/** The relayer's transactions, from intent to outcome. */
export interface TransactionsTable {
  id: Generated<number>;
  purpose: TransactionPurpose;
  to_address: string;
  /** Call data; dropped once the chain has it: the signed bytes hold it, too. */
  data: Uint8Array | null;
  state: "queued" | "sent" | "confirmed" | "reverted" | "refused" | "cancelled";
  /** Address of the key that signed it, or that is to sign it. */
  sender: string | null;
  nonce: number | null;
  /** Signed bytes; a chain that went back to an earlier state is given the same ones again. */
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

export interface ServiceLogTable {
  id: Generated<number>;
  /** Unix milliseconds. */
  time: number;
  level: "info" | "warn";
  account: string;
  message: string;
}

/** How far journal and chain were compared, and whose turn it is to do it. */
export interface ReconciliationTable {
  id: 1;
  holder: string | null;
  /** Unix milliseconds. */
  held_until: number;
  confirmation: number;
  block_number: number | null;
  block_hash: Uint8Array | null;
  passed_at: number | null;
  full_passed_at: number | null;
}

/** What journal, replicas and chain disagree about now. */
export interface DivergencesTable {
  subject: string;
  message: string;
  found_at: number;
}

/** Comparisons of restored documents with what was recorded; those that are not finished have no root. */
export interface RecoveryVerificationsTable {
  id: string;
  /** Unix seconds. */
  as_of: number | null;
  /** The newest entry of the journal when it began. */
  newest_entry: number;
  started_at: number;
  finished_at: number | null;
  documents: number;
  matches: number;
  mismatches: number;
  unrecorded: number;
  rows_root: Uint8Array | null;
}

/** Documents that were in what was restored: the first bytes of their ids' SHA-256. */
export interface RecoveryDocumentsTable {
  verification_id: string;
  document: Uint8Array;
}

/** Keys that callers of the integrity-proof API show. */
export interface ApiKeysTable {
  id: string;
  name: string;
  scope: "read" | "write";
  digest: Uint8Array;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

/** Kinds of alerts; `operations/alert.ts` says what they mean. */
type AlertKind = "node_down" | "sync_lost" | "degraded_performance" | "journal_divergence";

/** Alerts that last and that are over. */
export interface AlertsTable {
  id: Generated<number>;
  kind: AlertKind;
  subject: string;
  message: string;
  raised_at: number;
  resolved_at: number | null;
  change_number: number;
}

/** The newest change that each receiver was told of. */
export interface AlertReceiversTable {
  receiver: string;
  change_number: number;
}

/** What came from chats; without a body it was answered. The bot encrypts bodies and memos. */
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

/** Messages that the bot will send, encrypted. */
export interface ChatMessagesTable {
  id: Generated<number>;
  chat: number;
  due_at: number;
  /** Of messages with one key there is one at a time. */
  message_key: string | null;
  body: Uint8Array;
}

export type ChatMessageRow = Selectable<ChatMessagesTable>;
export type AnchorRow = Selectable<AnchorsTable>;
export type AccountRow = Selectable<AccountsTable>;
export type SessionRow = Selectable<SessionsTable>;
export type TransactionRow = Selectable<TransactionsTable>;
