import type { ROW_FUNCTIONS } from "./api.ts";
import type { DecodedTransaction } from "./responses.ts";
import type { RowChecks } from "./row-checks.ts";
import type { Row } from "./row-data.ts";

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

/** Decoded call data of a row function. */
export interface Decoded {
  readonly function: RowFunction;
  readonly row: Row;
  readonly checks: RowChecks;
  /** The decoded arguments in the decode route's format. */
  readonly transaction: DecodedTransaction;
}
