import type { ContractCall } from "../chain/transaction.ts";
import type { StoredRowData } from "./compression.ts";

/** Rows of the event table contract. */
export interface RecordChain {
  /** Name of the table that records go to. */
  readonly table: string;
  /** Signs row data as stored with the account's key and encodes the `insert` call. */
  insertCall(rowId: bigint, stored: StoredRowData, signingKey: Uint8Array): ContractCall;
}
