import type { FunctionFragment } from "ethers";
import { ROW_FUNCTIONS } from "./api.ts";
import type { DecodedTransaction } from "./responses.ts";
import type { RowChecks } from "./row-audit.ts";
import { decodeRowData, type Row } from "./row-data.ts";
import { malformed } from "../errors.ts";
import type { JsonObject } from "../kit/json.ts";
import { encodeArguments, type OnDeviation, type RawArgument, readArguments } from "./abi-arguments.ts";
import { hex, parseHex, utf8Text } from "../kit/bytes.ts";
import { MAX_ROW_BYTES, MAX_ROW_BYTES_OFFLINE, unpackRowData } from "./compression.ts";
import { bzip2 } from "./bzip2.ts";
import { INTERFACES } from "../chain/contracts/interfaces.ts";

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

/**
 * Maximum of decoded data as JSON: characters of a row can take six each. The largest record that can be stored needs
 * less than 450 KiB.
 */
const MAX_DECODED_BYTES = 512 * 1024;

/**
 * Asserts that decoded call data can be returned.
 * @throws SealbookError `malformed` at `inputdata`
 */
export function assertReturnable(decoded: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(decoded));
  if (bytes <= MAX_DECODED_BYTES) return;
  throw malformed("inputdata", `decodes to ${bytes} bytes, and the server returns at most ${MAX_DECODED_BYTES}`);
}

/**
 * Converts arguments to the decode route's format.
 *
 * @param argument Returns an argument by its name
 * @param filechain The row data as text
 * @param payload The payload inside the row
 */
function transactionView(
  argument: (name: keyof RowArguments) => RawArgument,
  filechain: string,
  payload: JsonObject,
): DecodedTransaction {
  return {
    comp: staticElement(argument("comp")),
    rowdata: { filechain, payload, ...dynamicElement(argument("rowdata")) },
    rowid: staticElement(argument("rowid")),
    signature: dynamicElement(argument("signature")),
    tabname: dynamicElement(argument("tabname")),
  };
}

function staticElement({ head, type }: RawArgument): DecodedTransaction["rowid"] {
  return { reference: jsonInteger(head), type };
}

function dynamicElement({ head, type, bytes }: RawArgument): DecodedTransaction["signature"] {
  return {
    hexdata: hex(bytes),
    length: bytes.length,
    reference: jsonInteger(head),
    type,
  };
}

/** Returns a number; a decimal string for one that JSON readers cannot count with. */
export function jsonInteger(value: bigint): number | string {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
}

/** The ABI of a row function. */
function rowFunctionFragment(name: RowFunction): FunctionFragment {
  return INTERFACES.EventTable.getFunction(name);
}

const SELECTOR_BYTES = 4;
const BY_SELECTOR: ReadonlyMap<string, RowFunction> = new Map(
  ROW_FUNCTIONS.map((name) => [rowFunctionFragment(name).selector, name]),
);

/** The selectors of the row functions: `0x` and eight lower-case digits. */
export const ROW_SELECTORS: ReadonlySet<string> = new Set(BY_SELECTOR.keys());

/** Decoded call data of a row function. */
export interface DecodedCallData {
  readonly function: RowFunction;
  readonly arguments: RowArguments;
  /** The row data as text: seven segments. */
  readonly filechain: string;
  readonly row: Row;
  /** The decoded arguments in the decode route's format. */
  readonly transaction: DecodedTransaction;
}

/**
 * Decodes call data of `set` or `insert`, from this service or any other with the same ABI.
 *
 * @param inputdata `0x`-prefixed hex, with the selector
 * @param expected The required function; any row function if omitted
 * @throws SealbookError `malformed` with the position as path: `inputdata` for the call data as a whole, the name of an
 * argument, or `rowdata.payload` for the payload inside the row
 */
export function decodeCallData(inputdata: string, expected?: RowFunction): DecodedCallData {
  return decode(inputdata, expected, MAX_ROW_BYTES);
}

/**
 * Decodes call data that a contract accepts, for auditors on a machine of their own: rows of other systems can be
 * larger, and their encoding need not be canonical.
 *
 * @returns `warnings` name each deviation from the canonical encoding
 * @throws SealbookError as {@link decodeCallData}
 */
export function decodeAcceptedCallData(
  inputdata: string,
  expected?: RowFunction,
): DecodedCallData & { readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const decoded = decode(inputdata, expected, MAX_ROW_BYTES_OFFLINE, (path, problem) => {
    warnings.push(`${path}: ${problem}`);
  });
  return { ...decoded, warnings };
}

function decode(
  inputdata: string,
  expected: RowFunction | undefined,
  maximum: number,
  onDeviation?: OnDeviation,
): DecodedCallData {
  const data = parseHex("inputdata", inputdata);
  const name = functionOf(data, expected);
  const raw = readArguments(rowFunctionFragment(name).inputs, data.subarray(SELECTOR_BYTES), onDeviation);
  const args = argumentsOf(raw);
  const filechain = unpackRowData(args, bzip2, maximum);
  const row = decodeRowData(filechain);
  const transaction = transactionView((argument) => find(raw, argument), filechain, row.payload);
  return { function: name, arguments: args, filechain, row, transaction };
}

/**
 * Encodes a call of a row function.
 *
 * @returns `0x`-prefixed lower-case hex, with the selector
 */
export function encodeCallData(name: RowFunction, args: RowArguments): string {
  const { tabname, rowid, rowdata, comp, signature } = args;
  return rowFunctionFragment(name).selector + hex(encodeArguments([tabname, rowid, rowdata, comp, signature]));
}

function functionOf(data: Uint8Array, expected: RowFunction | undefined): RowFunction {
  if (data.length < SELECTOR_BYTES) throw malformed("inputdata", `${data.length} bytes are too short for a selector`);
  const selector = `0x${hex(data.subarray(0, SELECTOR_BYTES))}`;
  const name = BY_SELECTOR.get(selector);
  if (name !== undefined && (expected === undefined || expected === name)) return name;
  const found = `selector ${selector}${name === undefined ? "" : ` (${name})`}`;
  if (expected === undefined) throw malformed("inputdata", `${found} is neither that of set nor that of insert`);
  throw malformed("inputdata", `${found} is not that of ${expected} (${rowFunctionFragment(expected).selector})`);
}

function argumentsOf(raw: readonly RawArgument[]): RowArguments {
  return {
    tabname: utf8Text("tabname", find(raw, "tabname").bytes),
    rowid: find(raw, "rowid").head,
    rowdata: find(raw, "rowdata").bytes,
    comp: find(raw, "comp").head === 1n,
    signature: utf8Text("signature", find(raw, "signature").bytes),
  };
}

function find(raw: readonly RawArgument[], name: keyof RowArguments): RawArgument {
  const argument = raw.find((candidate) => candidate.name === name);
  if (argument === undefined) throw new TypeError(`the ABI lacks ${name}`);
  return argument;
}
