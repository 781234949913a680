import type { RecordChain } from "../domain/ports.ts";
import { encodeCallData } from "./calldata.ts";
import { contractCall } from "./contracts.ts";
import { signRowData } from "./row-signature.ts";

/** Rows of `table` in the event table contract. */
export function recordChain(table: string): RecordChain {
  return {
    table,
    insertCall(rowId, { rowdata, comp }, signingKey) {
      const signature = signRowData(rowdata, signingKey);
      const data = encodeCallData("insert", { tabname: table, rowid: rowId, rowdata, comp, signature });
      return contractCall("record", "EventTable", data);
    },
  };
}
