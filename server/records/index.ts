export { decodeCallData } from "./call-data/call-data.ts";
export { assertReturnable } from "./call-data/returnable.ts";
export type { Decoded, RowFunction } from "./decoded-transaction.ts";
export type { Decoder } from "./decoder.ts";
export type { RecordEvents, NewRecord, RecordIntent, RecordService } from "./service.ts";
export type { Row } from "./row-data.ts";
export { recoverSigner } from "./row-signature.ts";
export type { RecordStore, RecordStores } from "./record.ts";
export type { DecodedTransaction } from "./responses.ts";
