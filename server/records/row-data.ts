import { malformed } from "../errors.ts";
import { isJsonObject, parseJson, writeJson, type JsonObject, type JsonValue } from "../kit/json.ts";
import { escapeSegment, unescapeSegment } from "./segment-text.ts";

/** Separates the segments of row data. */
const BAR = "|";
const SEGMENTS = 7;
/** The record format this service writes, the seventh segment. */
export const RECORD_FORMAT = "1";

/** A record to be written as row data. */
export interface NewRow {
  readonly rowId: bigint;
  /** `0x`-prefixed address of the account that signs. */
  readonly sender: string;
  readonly code: string;
  /** Kept to the second. */
  readonly createdAt: Date;
  readonly payload: JsonObject;
  readonly topic: string;
}

/** Row data taken apart. What other systems may write differently is kept as the text that stands there. */
export interface Row {
  readonly rowId: string;
  readonly sender: string;
  readonly code: string;
  /** An HTTP date in rows written here. */
  readonly createdAt: string;
  readonly payload: JsonObject;
  /** The payload as it stands in the row: base64 of JSON text. */
  readonly payloadBase64: string;
  /** The sixth segment: the topic in rows written here. */
  readonly topic: string;
  /** The seventh segment: the record format in rows written here. */
  readonly format: string;
}

/**
 * Writes the seven segments of a record.
 *
 * @throws SealbookError `malformed` when the record would not read back as it is
 */
export function encodeRowData(row: NewRow): string {
  if (row.rowId < 0n) throw malformed("rowId", "is negative");
  if (!/^0x[0-9a-fA-F]{40}$/.test(row.sender)) throw malformed("sender", "is not an address");
  if (Number.isNaN(row.createdAt.getTime())) throw malformed("createdAt", "is not a date");
  return [
    row.rowId.toString(),
    row.sender,
    freeText("code", row.code),
    row.createdAt.toUTCString(),
    encodePayload(row.payload),
    freeText("topic", row.topic),
    RECORD_FORMAT,
  ].join(BAR);
}

function freeText(path: string, text: string): string {
  // A lone surrogate has no UTF-8 form: it would be stored as another character.
  if (!text.isWellFormed()) throw malformed(path, "contains half of a surrogate pair");
  return escapeSegment(text);
}

function encodePayload(payload: JsonObject): string {
  try {
    return Buffer.from(writeJson(payload), "utf8").toString("base64");
  } catch (cause) {
    throw malformed("payload", cause instanceof Error ? cause.message : "is not JSON", cause);
  }
}

/**
 * Takes row data apart, of this service or of another that writes seven segments.
 *
 * @throws SealbookError `malformed` at `rowdata` when there are not seven segments, and at `rowdata.payload` when
 * the fifth is not the base64 of a JSON object
 */
export function decodeRowData(text: string): Row {
  const segments = text.split(BAR);
  const [rowId, sender, code, createdAt, payloadBase64, topic, format] = segments;
  if (segments.length !== SEGMENTS || format === undefined) {
    throw malformed("rowdata", `${segments.length} segments instead of ${SEGMENTS}`);
  }
  return {
    rowId: rowId ?? "",
    sender: sender ?? "",
    code: unescapeSegment(code ?? ""),
    createdAt: createdAt ?? "",
    payload: decodePayload(payloadBase64 ?? ""),
    payloadBase64: payloadBase64 ?? "",
    topic: unescapeSegment(topic ?? ""),
    format,
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodePayload(base64: string): JsonObject {
  const path = "rowdata.payload";
  const bytes = Buffer.from(base64, "base64");
  // The decoder skips what it does not know; only a text that it would write itself has been read as a whole.
  if (bytes.toString("base64") !== base64) throw malformed(path, "is not base64");
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw malformed(path, "is not UTF-8 text", cause);
  }
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw malformed(path, "is not JSON", cause);
  }
  if (!isJsonObject(value)) throw malformed(path, "is JSON but not an object");
  return value;
}
