import type { RecordChain } from "./contract.ts";
import { encodeCallData } from "./call-data/call-data.ts";
import { contractCall } from "../chain/contracts/interfaces.ts";
import { signRowData } from "./row-signature.ts";

/** Creates contract calls for rows of `table`. */
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
