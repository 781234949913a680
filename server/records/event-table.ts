import type { ContractCall } from "../chain/transaction.ts";
import type { StoredRowData } from "./compression.ts";
import { encodeCallData } from "./call-data.ts";
import { contractCall } from "../chain/contracts/interfaces.ts";
import { signRow, type TableContract } from "./row-signature.ts";

/** Contract calls for rows of the event table. */
export interface RecordChain {
  /** Name of the table that stores the records. */
  readonly table: string;
  /** Signs the row for its place with the account's key and encodes the `insert` call. */
  insertCall(rowId: bigint, stored: StoredRowData, signingKey: Uint8Array): ContractCall;
}

/** Creates contract calls for rows of `table`. */
export function recordChain(contract: TableContract, table: string): RecordChain {
  return {
    table,
    insertCall(rowId, { rowdata, comp }, signingKey) {
      const row = { tabname: table, rowid: rowId, rowdata, comp };
      const data = encodeCallData("insert", { ...row, signature: signRow(row, contract, signingKey) });
      return contractCall("record", "EventTable", data);
    },
  };
}
