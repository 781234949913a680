import type { RecordChain } from "./contract.ts";
import { encodeCallData } from "./call-data/call-data.ts";
import { contractCall } from "../chain/contracts/interfaces.ts";
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
