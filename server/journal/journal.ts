import type { ContractAddresses, Journal } from "../domain/ports.ts";
import { accountStore } from "./accounts.ts";
import type { Database } from "./database.ts";
import { intentStore } from "./intents.ts";
import { proofStore } from "./proofs.ts";
import { recordStore } from "./records.ts";
import { serviceLogStore } from "./service-log.ts";
import { sessionStore } from "./sessions.ts";

/** The journal over one database. `addresses` says where each contract that an intent names stands. */
export function createJournal(database: Database, addresses: ContractAddresses): Journal {
  return {
    atomically: (work) =>
      // A transaction inside a transaction is the same one: what is whole stays whole.
      database.isTransaction
        ? work(createJournal(database, addresses))
        : database.transaction().execute((transaction) => work(createJournal(transaction, addresses))),
    accounts: accountStore(database),
    sessions: sessionStore(database),
    records: recordStore(database),
    proofs: proofStore(database),
    intents: intentStore(database, addresses),
    serviceLog: serviceLogStore(database),
  };
}
