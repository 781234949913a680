import type { Journal } from "../domain/ports.ts";
import type { Address, ContractAddresses } from "../domain/transaction.ts";
import { accountStore } from "./accounts.ts";
import { anchorStore } from "./anchors.ts";
import { CommitGroup } from "./commit-group.ts";
import type { Database } from "./database.ts";
import { intentStore } from "./intents.ts";
import { proofStore } from "./proofs.ts";
import { recordStore } from "./records.ts";
import { serviceLogStore } from "./service-log.ts";
import { sessionStore } from "./sessions.ts";

/**
 * The journal over one database, which several relayers can share.
 * @param addresses Where each contract that an intent names stands
 * @param relayer Whose intents and anchors are written here
 */
export function createJournal(database: Database, addresses: ContractAddresses, relayer: Address): Journal {
  const commits = new CommitGroup(database);
  return {
    ...storesOf(database, addresses, relayer),
    atomically: (work) => commits.run((transaction) => work(insideOf(transaction, addresses, relayer))),
  };
}

/** The journal inside a transaction: what is done atomically there belongs to the same whole. */
function insideOf(transaction: Database, addresses: ContractAddresses, relayer: Address): Journal {
  const journal: Journal = { ...storesOf(transaction, addresses, relayer), atomically: (work) => work(journal) };
  return journal;
}

function storesOf(database: Database, addresses: ContractAddresses, relayer: Address): Omit<Journal, "atomically"> {
  return {
    accounts: accountStore(database),
    sessions: sessionStore(database),
    records: recordStore(database),
    proofs: proofStore(database),
    anchors: anchorStore(database, relayer),
    intents: intentStore(database, addresses, relayer),
    serviceLog: serviceLogStore(database),
  };
}
