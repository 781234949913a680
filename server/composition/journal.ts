import type { Atomic, Database } from "../journal/engine/database.ts";
import type { ContractAddresses } from "../chain/transaction.ts";
import { type AccountStore, accountStore } from "../sessions/account-store.ts";
import { type AnchorStore, anchorStore } from "../proofs/anchor-store.ts";
import { chatStore, type ChatStore } from "../bot/chat-store.ts";
import { EntryVerifier } from "../journal/entries/verified-entries.ts";
import { GroupCommit } from "../journal/engine/group-commit.ts";
import { RECORD_INDEX } from "../journal/findings/subject.ts";
import type { CommitSigner } from "../chain/transactions/commit-signer.ts";
import type { IntentStore } from "../chain/transactions/types.ts";
import { type JournalSource, journalSource } from "../journal/entries/entry-source.ts";
import type { RecordReader } from "../records/record.ts";
import { type ServiceLogStore, serviceLogStore } from "../sessions/service-log.ts";
import { type SessionStore, sessionStore } from "../sessions/store.ts";
import { type KeyedCallStore, keyedCallStore } from "../journal/keyed-calls.ts";
import { intentStore } from "../journal/transactions/intent-store.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { type ProofStore, proofStore } from "../proofs/proof-store.ts";
import { type StoreEntries, storeEntries } from "../records/store-entries.ts";
import { recordReader } from "../records/record-reader.ts";

/** The stores of all durable data. */
export interface JournalStores {
  readonly entries: JournalSource;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly keyedCalls: KeyedCallStore;
  readonly records: RecordReader;
  readonly stores: StoreEntries;
  readonly proofs: ProofStore;
  readonly anchors: AnchorStore;
  readonly intents: IntentStore;
  readonly serviceLog: ServiceLogStore;
  readonly chats: ChatStore;
}

export type Journal = Atomic<JournalStores>;

/**
 * Builds the journal over one database.
 * @param key Key that entries are appended and checked with
 * @param addresses Contracts that intents name
 * @param verifier Reads entries over the database
 * @param signer Signs calls in the commits that write them
 */
export function createJournal(
  database: Database,
  key: JournalKey,
  addresses: ContractAddresses,
  verifier = new EntryVerifier({ database, key }),
  signer?: CommitSigner,
): Journal {
  const commits = new GroupCommit(database, key.memory, signer);
  const stores = (on: Database, inside?: CommitSigner) => {
    const intents = intentStore(on, key, addresses, inside);
    return storesOf(on, key, intents, verifier.on(on));
  };
  return {
    ...stores(database),
    atomically: (work) => commits.run((transaction) => work(insideOf(stores(transaction, signer)))),
  };
}

/** Returns the journal inside a transaction; atomic work there joins the same transaction. */
function insideOf(stores: JournalStores): Journal {
  const journal: Journal = Object.assign(stores, {
    atomically: <T>(work: (stores: Journal) => Promise<T>): Promise<T> => work(journal),
  });
  return journal;
}

/** Returns the stores over a connection or a transaction, each made when it is used. */
function storesOf(database: Database, key: JournalKey, intents: IntentStore, verifier: EntryVerifier): JournalStores {
  return {
    get entries() {
      return journalSource(database, key);
    },
    get accounts() {
      return accountStore(database, key);
    },
    get sessions() {
      return sessionStore(database);
    },
    get keyedCalls() {
      return keyedCallStore(database);
    },
    get records() {
      return recordReader(database, key, (message) => verifier.begin().report(message, RECORD_INDEX));
    },
    get stores() {
      return storeEntries(database, key, verifier, intents);
    },
    get proofs() {
      return proofStore(database, key, verifier);
    },
    get anchors() {
      return anchorStore(database, key, verifier);
    },
    intents,
    get serviceLog() {
      return serviceLogStore(database);
    },
    get chats() {
      return chatStore(database);
    },
  };
}
