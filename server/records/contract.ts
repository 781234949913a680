import type { ContractCall } from "../chain/transaction.ts";
import type { StoredRowData } from "./compression.ts";

/** Contract calls for rows of the event table. */
export interface RecordChain {
  /** Name of the table that stores the records. */
  readonly table: string;
  /** Signs row data as stored with the account's key and encodes the `insert` call. */
  insertCall(rowId: bigint, stored: StoredRowData, signingKey: Uint8Array): ContractCall;
}
