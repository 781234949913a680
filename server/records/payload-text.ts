import { isJsonObject, type JsonObject, parseWithWrittenNumbers } from "../kit/json.ts";
import type { DecodedTransaction } from "./responses.ts";
import type { Row } from "./row-data.ts";

/** Returns the JSON text of a row's payload, which the row has in base64. */
export function payloadText(payloadBase64: string): string {
  return Buffer.from(payloadBase64, "base64").toString();
}

/** Returns a decoded payload that `JSON.stringify` writes with the numbers as they are in the row. */
export function writtenPayload(payloadBase64: string): JsonObject {
  const payload = parseWithWrittenNumbers(payloadText(payloadBase64));
  // Decoding has checked that it is an object, and its depth.
  if (!isJsonObject(payload)) throw new TypeError("the payload is not an object");
  return payload;
}

/** Returns decoded call data with the {@link writtenPayload}. */
export function withWrittenNumbers<D extends { readonly row: Row; readonly transaction: DecodedTransaction }>(
  decoded: D,
): D {
  const { row, transaction } = decoded;
  const payload = writtenPayload(row.payloadBase64);
  return {
    ...decoded,
    row: { ...row, payload },
    transaction: { ...transaction, rowdata: { ...transaction.rowdata, payload } },
  };
}
