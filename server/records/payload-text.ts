import { duplicateKeys } from "../kit/duplicate-keys.ts";
import { isJsonObject, parseWithWrittenNumbers } from "../kit/json.ts";
import type { DecodedTransaction } from "./responses.ts";
import type { Row } from "./row-data.ts";

/** Returns the JSON text of a row's payload. */
export function payloadText({ payloadBase64 }: Pick<Row, "payloadBase64">): string {
  return Buffer.from(payloadBase64, "base64").toString();
}

/** Returns decoded call data whose payload `JSON.stringify` writes with the numbers as they are in the row. */
export function withWrittenNumbers<D extends { readonly row: Row; readonly transaction: DecodedTransaction }>(
  decoded: D,
): D {
  const { row, transaction } = decoded;
  const payload = parseWithWrittenNumbers(payloadText(row));
  // Decoding has checked that it is an object, and its depth.
  if (!isJsonObject(payload)) throw new TypeError("the payload is not an object");
  return {
    ...decoded,
    row: { ...row, payload },
    transaction: { ...transaction, rowdata: { ...transaction.rowdata, payload } },
  };
}

/** Maximum number of warnings: each has the path of a key. */
const MAX_WARNINGS = 10;

/** Returns a warning for each key that appears again in a payload: programs differ in which of the values they use. */
export function duplicateKeyWarnings(row: Pick<Row, "payloadBase64">): string[] {
  const warnings: string[] = [];
  for (const path of duplicateKeys(payloadText(row))) {
    if (warnings.length === MAX_WARNINGS) break;
    warnings.push(`${["payload", ...path].join(".")}: the key appears twice; the last value is shown`);
  }
  return warnings;
}
