export { decodeCallData } from "./call-data/call-data.ts";
export { type Bzip2, MAX_ROW_BYTES } from "./compression.ts";
export type { RowFunction } from "./decoded-transaction.ts";
export type { RecordEvents, NewRecord, RecordIntent, RecordService } from "./service.ts";
export type { Row } from "./row-data.ts";
export { recoverSigner } from "./row-signature.ts";
export type { RecordStore, RecordStores } from "./record.ts";
export type { DecodedTransaction } from "./responses.ts";
