import type { ContractCall } from "../chain/transaction.ts";
import type { StoredRowData } from "./compression.ts";
import { encodeCallData } from "./call-data.ts";
import { contractCall } from "../chain/contracts/interfaces.ts";
import { signRow, type TableContract } from "./row-signature.ts";

/** Signs a row for its place in a table with the account's key, and encodes the `insert` call. */
export function insertCall(
  contract: TableContract,
  table: string,
  rowId: bigint,
  { rowdata, comp }: StoredRowData,
  signingKey: Uint8Array,
): ContractCall {
  const row = { tabname: table, rowid: rowId, rowdata, comp };
  const data = encodeCallData("insert", { ...row, signature: signRow(row, contract, signingKey) });
  return contractCall("record", "EventTable", data);
}
