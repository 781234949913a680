import type { JsonObject } from "../kit/json.ts";

/** The functions that write a row. Both take the same arguments. */
export const ROW_FUNCTIONS = ["set", "insert"] as const;

/** A function that writes a row. */
export type RowFunction = (typeof ROW_FUNCTIONS)[number];

/** The arguments of a row function. */
export interface RowArguments {
  readonly tabname: string;
  readonly rowid: bigint;
  /** The row as stored, compressed when `comp` is true. */
  readonly rowdata: Uint8Array;
  readonly comp: boolean;
  readonly signature: string;
}

/** An integer as JSON can carry it: a decimal string beyond 2^53-1. */
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
  /** The argument's own bytes, hex without `0x`. */
  readonly hexdata: string;
  /** How many bytes they are. */
  readonly length: number;
  /** Where the argument stands, in bytes from the first head word. */
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

/** A decoded transaction, in the shape that the decode route answers. */
export interface DecodedTransaction {
  readonly comp: StaticElement;
  readonly rowdata: RowDataElement;
  readonly rowid: StaticElement;
  readonly signature: DynamicElement;
  readonly tabname: DynamicElement;
}

/** Decodes call data into the shape that the decode route answers; throws `malformed` naming what is wrong. */
export type TransactionDecoder = (inputdata: string, expected: RowFunction) => DecodedTransaction;
