-- The tables of a journal in SQLite. Hashes are blobs; times ending in _at are Unix milliseconds.

create table schema_version (version integer primary key);

-- What relayers append, at most 100 entries a row.
create table entries (
  first_sequence integer primary key,
  last_sequence integer not null,
  proofs integer not null,
  previous blob not null,
  digest blob not null,
  code blob not null,
  body blob not null
);

-- Keys of proofs. New ones are in a small table, and are moved into the large one slice by slice: each page is then
-- written once for many keys.
create table proof_index (key integer not null, sequence integer not null, primary key (key, sequence)) without rowid;
create table proof_index_recent (key integer not null, sequence integer not null, primary key (key, sequence)) without rowid;

create table accounts (
  address text primary key,
  keystore text not null,
  scope text not null check (scope in ('full', 'read')),
  enrolled integer not null,
  created_at integer not null,
  revoked_at integer,
  sequence integer not null unique
);

create table changed_keystores (address text primary key, keystore text not null, changed_at integer not null);

create table issuer_keys (
  sequence integer primary key,
  public_key blob not null,
  keystore text,
  created_at integer not null
);

create table sessions (
  token_hash blob primary key,
  account text not null,
  state text not null check (state in ('opening', 'active', 'replacing', 'ended')),
  expires_at_seconds integer not null,
  validated integer not null,
  wrapped_secure_key blob not null,
  encrypted_signing_key blob not null,
  transaction_id integer not null,
  session_id blob not null
);
-- Ended tokens have no keys.
create index sessions_with_keys on sessions (expires_at_seconds) where length(wrapped_secure_key) > 0;
create index sessions_with_keys_by_id on sessions (session_id) where length(wrapped_secure_key) > 0;
create index sessions_by_expiry on sessions (expires_at_seconds);

create table keyed_calls (
  id blob primary key,
  digest blob not null,
  begun_at integer not null
);
create index keyed_calls_by_age on keyed_calls (begun_at);

create table stores (
  sequence integer primary key,
  account text not null,
  row_id text not null,
  call blob not null,
  idempotency_key blob,
  request blob not null,
  accepted_at integer not null,
  transaction_id integer
);
create index stores_by_key on stores (idempotency_key, sequence) where idempotency_key is not null;

create table login_failures (
  key text primary key,
  count integer not null,
  window_ends_at integer not null,
  lock_outs integer not null,
  locked_until integer not null,
  forgotten_at integer not null
);
create index login_failures_forgotten on login_failures (forgotten_at, key);

create table login_sources (
  login text not null,
  source text not null,
  logged_in_at integer not null,
  primary key (login, source)
);
create index login_sources_by_source on login_sources (source);

create table service_log (
  id integer primary key autoincrement,
  time integer not null,
  level text not null,
  account text not null,
  message text not null
);
create index service_log_by_account on service_log (account, id);

create table records (
  position integer primary key,
  row_id text not null,
  digest blob not null unique,
  sender text not null,
  code text not null,
  topic text not null,
  created_at text not null,
  payload text not null,
  transaction_hash blob not null,
  block_number integer not null,
  overwritten_by blob,
  code_of_row blob not null
);
create unique index records_current on records (row_id) where overwritten_by is null;
-- Row ids that this server assigns have at most 15 digits.
create index records_by_number on records ((cast(row_id as integer))) where length(row_id) <= 15;
create index records_by_code on records (code, position);
create index records_by_topic on records (topic, position);

create table index_progress (
  id integer primary key check (id = 1),
  table_name text not null,
  block_number integer,
  block_hash blob,
  built_to integer,
  rows integer not null,
  digest blob not null,
  marked integer not null,
  code blob
);

create table transactions (
  id integer primary key autoincrement,
  purpose text not null,
  to_address text not null,
  data blob,
  code blob,
  state text not null check (state in ('queued', 'sent', 'confirmed', 'reverted', 'refused', 'cancelled')),
  sender text,
  nonce integer,
  raw blob,
  hash blob unique,
  block_number integer,
  block_hash blob,
  block_time integer,
  validator text,
  reason text,
  created_at integer not null,
  outcome_at integer,
  unique (sender, nonce)
);
-- Only rows in flight are looked up by state: the indexes stay small in a journal of any length.
create index transactions_queued on transactions (id) where state = 'queued';
create index transactions_sent on transactions (sender, nonce) where state = 'sent';
create index transactions_failed on transactions (id) where state in ('reverted', 'refused', 'cancelled');

-- Only transactions that were replaced have rows here: all of their versions.
create table transaction_versions (
  number integer primary key autoincrement,
  transaction_id integer not null references transactions (id),
  raw blob not null,
  hash blob not null unique
);
create index versions_of_transaction on transaction_versions (transaction_id, number);

create table resolutions (sequence integer primary key);

create table anchors (
  id integer primary key autoincrement,
  first_sequence integer not null,
  hash blob unique,
  size integer not null,
  transaction_id integer references transactions (id),
  confirmation integer,
  checkpoint integer,
  code blob,
  opened_at integer not null,
  check ((hash is null) = (transaction_id is null))
);
create index anchors_by_transaction on anchors (transaction_id);
create index anchors_open on anchors (id) where transaction_id is null;
create index anchors_checkpoint on anchors (checkpoint) where checkpoint is not null;
create index anchors_confirmed on anchors (confirmation) where confirmation is not null;

create table confirmations (
  sequence integer primary key,
  anchor_id integer not null,
  hash blob not null,
  size integer not null,
  checkpoint integer,
  contract text not null,
  transaction_hash blob not null,
  block_number integer not null,
  block_hash blob not null,
  block_time integer not null,
  validator text not null
);
create index confirmations_by_transaction on confirmations (transaction_hash);
create index confirmations_by_block on confirmations (block_number);
create index confirmations_by_anchor on confirmations (anchor_id);

create table chain_identity (
  id integer primary key check (id = 1),
  chain_id integer not null,
  genesis_hash blob not null,
  contracts text not null
);
create trigger chain_identity_no_update before update of chain_id, genesis_hash on chain_identity begin select raise(abort, 'the journal is append-only'); end;
create trigger chain_identity_no_delete before delete on chain_identity begin select raise(abort, 'the journal is append-only'); end;

create table validator_sets (from_block integer primary key, validators text not null, code blob not null);
create trigger validator_sets_no_update before update on validator_sets begin select raise(abort, 'the journal is append-only'); end;
create trigger validator_sets_no_delete before delete on validator_sets begin select raise(abort, 'the journal is append-only'); end;

create table recovery_verifications (
  id text primary key,
  started_at integer not null,
  sequence integer unique,
  document_digests blob,
  caller text,
  quota integer not null default 0
);
create index recovery_verifications_kept on recovery_verifications (caller, sequence, quota) where quota > 0;

create table recovery_documents (
  verification_id text not null,
  document blob not null,
  primary key (verification_id, document)
) without rowid;

create table api_keys (
  id text primary key,
  name text not null,
  scope text not null check (scope in ('read', 'write')),
  digest blob not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer
);

create table alerts (
  id integer primary key autoincrement,
  kind text not null,
  subject text not null,
  message text not null,
  earlier text not null,
  raised_at integer not null,
  resolved_at integer
);
-- At most one alert of a kind and subject is open.
create unique index alerts_open on alerts (kind, subject) where resolved_at is null;

create table storage_probe (id integer primary key check (id = 1), written_at integer not null);

create table chat_updates (number integer primary key, received_at integer not null, body blob, memo blob);

create table chat_users (id integer primary key, account text unique, state blob not null);

create table chat_deletions (
  chat integer not null,
  message integer not null,
  due_at integer not null,
  primary key (chat, message)
);
