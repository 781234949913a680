// Module of the threads of Decoder.
import { serveJobs } from "../kit/workers/reply.ts";
import { bzip2 } from "./bzip2.ts";
import { assertReturnable, decodeCallData, type Decoded, type RowFunction } from "./call-data.ts";
import { MAX_ROW_BYTES, packRowData, type StoredRowData } from "./compression.ts";
import { withWrittenNumbers } from "./payload-text.ts";
import { checkRow } from "./row-audit.ts";
import type { TableContract } from "./row-signature.ts";
import { rowText } from "./row-text.ts";

/** Call data to decode. */
export interface DecodeJob {
  readonly inputdata: string;
  readonly expected: RowFunction | undefined;
}

/** Data of the module, for all jobs. */
export interface WorkerData {
  /** The event tables whose rows are decoded. */
  readonly contracts: readonly TableContract[];
}

export const decode = serveJobs(({ inputdata, expected }: DecodeJob, { contracts }: WorkerData): Decoded => {
  const decoded = decodeCallData(inputdata, expected);
  const { function: name, row, transaction } = decoded;
  assertReturnable(withWrittenNumbers(decoded).transaction);
  return { function: name, row, transaction, checks: checkRow(decoded, { contracts }) };
});

export const pack = serveJobs((text: string): StoredRowData => packRowData(text, bzip2));

export const row = serveJobs(rowText);

export const decompress = serveJobs((data: Uint8Array) => bzip2.decompress(data, MAX_ROW_BYTES));
