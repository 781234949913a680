import { parseWithWrittenNumbers } from "../../kit/json.ts";
import { checkJson, checkKeys } from "../json-body.ts";

/**
 * Checks the JSON of a call. Replaces the payload of a record, at `payload.payload`, by one whose numbers
 * `JSON.stringify` writes as the client wrote them: the account signs these digits, not those of the nearest doubles.
 *
 * @param call The parsed text
 * @param text The text
 * @throws SealbookError `malformed` with the path of the value or key
 */
export function checkCall(call: unknown, text: string): void {
  // Other numbers than those of a record are fields, whose schemas have their ranges.
  checkJson(call, () => true);
  checkKeys(text);
  const fields = payloadOf(call);
  if (!isObject(fields) || !isObject(payloadOf(fields))) return;
  Reflect.set(fields, "payload", payloadOf(payloadOf(parseWithWrittenNumbers(text))));
}

function payloadOf(value: unknown): unknown {
  return isObject(value) ? Reflect.get(value, "payload") : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
