import type { JsonObject } from "../../kit/json.ts";
import type { RowArguments } from "../decoded-transaction.ts";
import type { DecodedTransaction } from "../responses.ts";
import type { RawArgument } from "./abi-arguments.ts";
import { hex } from "../../kit/hex.ts";

/**
 * Converts arguments to the decode route's format.
 *
 * @param argument Returns an argument by its name
 * @param filechain The row data as text
 * @param payload The payload inside the row
 */
export function transactionView(
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
