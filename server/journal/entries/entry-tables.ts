import type { Database } from "../engine/database.ts";
import type { JournalLine } from "../integrity/entry-chain.ts";
import { encodeEntry, type JournalEntry } from "./codec.ts";

/** The entries whose facts are in tables for finding, by their number: the texts that the tables give. */
export type TabledEntries = Map<number, string>;

/** The texts of entries that have rows in a table with all their facts. */
const TABLED = /^\{"sequence":\d+,"kind":"(?:confirmation|account|issuer_key|store)"/;

/** Reads entries after one, up to another, from the tables. */
export async function readTables(database: Database, after: number, upTo: number): Promise<TabledEntries> {
  const [confirmations, accounts, issuerKeys, stores] = await Promise.all([
    database
      .selectFrom("confirmations")
      .selectAll()
      .where("sequence", ">", after)
      .where("sequence", "<=", upTo)
      .execute(),
    database
      .selectFrom("accounts")
      .select(["sequence", "address", "keystore", "created_at"])
      .where("sequence", ">", after)
      .where("sequence", "<=", upTo)
      .execute(),
    database
      .selectFrom("issuer_keys")
      .selectAll()
      .where("sequence", ">", after)
      .where("sequence", "<=", upTo)
      .execute(),
    database.selectFrom("stores").selectAll().where("sequence", ">", after).where("sequence", "<=", upTo).execute(),
  ]);
  const entries: JournalEntry[] = [];
  for (const row of confirmations) {
    entries.push({
      kind: "confirmation",
      sequence: row.sequence,
      anchor: row.anchor_id,
      hash: row.hash,
      size: row.size,
      checkpoint: row.checkpoint,
      contract: row.contract,
      tx_hash: row.transaction_hash,
      block_number: row.block_number,
      block_hash: row.block_hash,
      block_time: row.block_time,
      validator: row.validator,
    });
  }
  for (const row of accounts) entries.push({ kind: "account", ...row });
  for (const { transaction_id: _, ...row } of stores) entries.push({ kind: "store", ...row });
  for (const row of issuerKeys) entries.push({ kind: "issuer_key", ...row });
  return new Map(entries.map((entry) => [entry.sequence, encodeEntry(entry)]));
}

/** Returns whether an entry is in its table as the journal has it; takes it out of those that were read. */
export function isFound(tabled: TabledEntries, { sequence, text }: JournalLine): boolean {
  const found = tabled.get(sequence);
  tabled.delete(sequence);
  return found === undefined ? !TABLED.test(text) : found === text;
}
