import type { Journal } from "../domain/ports.ts";
import type { Address, ContractAddresses } from "../domain/transaction.ts";
import { accountStore } from "./accounts.ts";
import { anchorStore } from "./anchors.ts";
import { chatStore } from "./chats.ts";
import { CommitGroup } from "./commit-group.ts";
import type { Database } from "./database.ts";
import { journalSource } from "./journal-source.ts";
import { intentStore } from "./intents.ts";
import { ProofStatements, proofStore } from "./proofs.ts";
import { recordStore } from "./records.ts";
import { serviceLogStore } from "./service-log.ts";
import { sessionStore } from "./sessions.ts";

/**
 * The journal over one database, which several relayers can share.
 * @param addresses Where each contract that an intent names stands
 * @param relayer Whose intents and anchors are written here
 */
export function createJournal(database: Database, addresses: ContractAddresses, relayer: Address): Journal {
  const statements = new ProofStatements();
  const commits = new CommitGroup(database);
  const stores = (on: Database) => storesOf(on, addresses, relayer, statements);
  return {
    ...stores(database),
    atomically: (work) => commits.run((transaction) => work(insideOf(stores(transaction)))),
  };
}

/** The journal inside a transaction: what is done atomically there belongs to the same whole. */
function insideOf(stores: Omit<Journal, "atomically">): Journal {
  const journal: Journal = { ...stores, atomically: (work) => work(journal) };
  return journal;
}

function storesOf(
  database: Database,
  addresses: ContractAddresses,
  relayer: Address,
  statements: ProofStatements,
): Omit<Journal, "atomically"> {
  return {
    entries: journalSource(database),
    accounts: accountStore(database),
    sessions: sessionStore(database, relayer),
    records: recordStore(database),
    proofs: proofStore(database, statements),
    anchors: anchorStore(database, relayer),
    intents: intentStore(database, addresses, relayer),
    serviceLog: serviceLogStore(database),
    chats: chatStore(database),
  };
}
