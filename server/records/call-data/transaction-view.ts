import type { JsonObject } from "../../kit/json.ts";
import type {
  DecodedTransaction,
  DynamicElement,
  JsonInteger,
  RowArguments,
  StaticElement,
} from "../decoded-transaction.ts";
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

function staticElement({ head, type }: RawArgument): StaticElement {
  return { reference: jsonInteger(head), type };
}

function dynamicElement({ head, type, bytes }: RawArgument): DynamicElement {
  return {
    hexdata: hex(bytes),
    length: bytes.length,
    reference: jsonInteger(head),
    type,
  };
}

function jsonInteger(value: bigint): JsonInteger {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
}
