import type { JsonObject } from "../kit/json.ts";

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

/** An integer in JSON: a decimal string above 2^53-1. */
export type JsonInteger = number | string;

/** A static argument of a decoded transaction. */
export interface StaticElement {
  /** The value. */
  readonly reference: JsonInteger;
  /** The ABI type. */
  readonly type: string;
}

/** A dynamic argument of a decoded transaction. */
export interface DynamicElement {
  /** The argument's bytes as hex without `0x`. */
  readonly hexdata: string;
  /** Number of bytes. */
  readonly length: number;
  /** Offset of the argument in bytes from the first head word. */
  readonly reference: JsonInteger;
  /** The ABI type. */
  readonly type: string;
}

/** The row of a decoded transaction. */
export interface RowDataElement extends DynamicElement {
  /** The seven segments, decompressed. */
  readonly filechain: string;
  /** The fifth segment's JSON. */
  readonly payload: JsonObject;
}

/** A decoded transaction in the decode route's format. */
export interface DecodedTransaction {
  readonly comp: StaticElement;
  readonly rowdata: RowDataElement;
  readonly rowid: StaticElement;
  readonly signature: DynamicElement;
  readonly tabname: DynamicElement;
}

/** Decodes call data into the decode route's format. Throws `malformed`, which names the fault and its position. */
export type TransactionDecoder = (inputdata: string, expected: RowFunction) => DecodedTransaction;
