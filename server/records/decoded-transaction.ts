import type { DecodedTransaction } from "./responses.ts";

/** The contract functions that write a row. They have the same arguments. */
export const ROW_FUNCTIONS = ["set", "insert"] as const;

/** A contract function that writes a row. */
export type RowFunction = (typeof ROW_FUNCTIONS)[number];

/** The arguments of a row function. */
export interface RowArguments {
  readonly tabname: string;
  readonly rowid: bigint;
  /** The row as stored: compressed if `comp` is true. */
  readonly rowdata: Uint8Array;
  readonly comp: boolean;
  readonly signature: string;
}

/** Decodes call data; throws `malformed` with the invalid part. */
export type TransactionDecoder = (inputdata: string, expected: RowFunction) => DecodedTransaction;
