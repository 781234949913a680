import type { Atomic, Database } from "../journal/engine/database.ts";
import type { Address, ContractAddresses } from "../chain/transaction.ts";
import { type AccountStore, accountStore } from "../sessions/account-store.ts";
import { type AnchorStore, anchorStore } from "../proofs/anchor-store.ts";
import { chatStore, type ChatStore } from "../bot/chat-store.ts";
import { GroupCommit } from "../journal/engine/group-commit.ts";
import type { IntentStore } from "../chain/transactions/types.ts";
import { type JournalSource, journalSource } from "../journal/entries/entry-source.ts";
import type { RecordReader } from "../records/record.ts";
import { type ServiceLogStore, serviceLogStore } from "../sessions/service-log.ts";
import { type SessionStore, sessionStore } from "../sessions/store.ts";
import { type KeyedCallStore, keyedCallStore } from "../journal/keyed-calls.ts";
import { intentStore } from "../journal/transactions/intent-store.ts";
import { ProofStatements } from "../proofs/proof-rows.ts";
import { type ProofStore, proofStore } from "../proofs/proof-store.ts";
import { recordReader } from "../records/record-reader.ts";

/** The stores of all durable data. */
export interface JournalStores {
  readonly entries: JournalSource;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly keyedCalls: KeyedCallStore;
  readonly records: RecordReader;
  readonly proofs: ProofStore;
  readonly anchors: AnchorStore;
  readonly intents: IntentStore;
  readonly serviceLog: ServiceLogStore;
  readonly chats: ChatStore;
}

export type Journal = Atomic<JournalStores>;

/** The owner of transactions that a process without a relayer writes: none, so that any relayer continues them. */
export const NO_RELAYER: Address = "";

/**
 * Builds the journal over one database, which several relayers can share.
 * @param addresses Contracts that intents name
 * @param relayer Owner of the intents and anchors that this process writes
 */
export function createJournal(database: Database, addresses: ContractAddresses, relayer: Address): Journal {
  const statements = new ProofStatements();
  const commits = new GroupCommit(database);
  const stores = (on: Database) => storesOf(on, addresses, relayer, statements);
  return {
    ...stores(database),
    atomically: (work) => commits.run((transaction) => work(insideOf(stores(transaction)))),
  };
}

/** Returns the journal inside a transaction; atomic work there joins the same transaction. */
function insideOf(stores: JournalStores): Journal {
  const journal: Journal = { ...stores, atomically: (work) => work(journal) };
  return journal;
}

function storesOf(
  database: Database,
  addresses: ContractAddresses,
  relayer: Address,
  statements: ProofStatements,
): JournalStores {
  return {
    entries: journalSource(database),
    accounts: accountStore(database),
    sessions: sessionStore(database, relayer),
    keyedCalls: keyedCallStore(database),
    records: recordReader(database),
    proofs: proofStore(database, statements),
    anchors: anchorStore(database, relayer),
    intents: intentStore(database, addresses, relayer),
    serviceLog: serviceLogStore(database),
    chats: chatStore(database),
  };
}
