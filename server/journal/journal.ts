import type { Journal } from "../domain/ports.ts";
import type { ContractAddresses } from "../domain/transaction.ts";
import { accountStore } from "./accounts.ts";
import { CommitGroup } from "./commit-group.ts";
import type { Database } from "./database.ts";
import { intentStore } from "./intents.ts";
import { proofStore } from "./proofs.ts";
import { recordStore } from "./records.ts";
import { serviceLogStore } from "./service-log.ts";
import { sessionStore } from "./sessions.ts";

/** The journal over one database. `addresses` says where each contract that an intent names stands. */
export function createJournal(database: Database, addresses: ContractAddresses): Journal {
  const commits = new CommitGroup(database);
  return {
    ...storesOf(database, addresses),
    atomically: (work) => commits.run((transaction) => work(insideOf(transaction, addresses))),
  };
}

/** The journal inside a transaction: what is done atomically there belongs to the same whole. */
function insideOf(transaction: Database, addresses: ContractAddresses): Journal {
  const journal: Journal = { ...storesOf(transaction, addresses), atomically: (work) => work(journal) };
  return journal;
}

function storesOf(database: Database, addresses: ContractAddresses): Omit<Journal, "atomically"> {
  return {
    accounts: accountStore(database),
    sessions: sessionStore(database),
    records: recordStore(database),
    proofs: proofStore(database),
    intents: intentStore(database, addresses),
    serviceLog: serviceLogStore(database),
  };
}
