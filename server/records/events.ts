import type { Address } from "../chain/transaction.ts";

/** Events of records for logs and metrics. Handlers never throw. */
export interface RecordEvents {
  recordStored(account: Address, rowId: bigint): void;
}
