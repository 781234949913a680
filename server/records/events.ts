import type { Address } from "../chain/transaction.ts";

/** Events of records, for logs and metrics. None of them ever throws. */
export interface RecordEvents {
  recordStored(account: Address, rowId: bigint): void;
}
