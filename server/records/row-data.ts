import { utf8Text } from "../kit/bytes.ts";
import { malformed } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, writeJson } from "../kit/json.ts";

/** Event name of a topic without any allowed character. */
const DEFAULT_NAME = "event";

/** Derives an event's name: the letters and digits of any script, `_` and `-` of its topic. */
export function eventName(topic: string): string {
  const name = topic.replace(/[^\p{L}\p{Nd}_-]/gu, "");
  return name === "" ? DEFAULT_NAME : name;
}

const SEPARATOR = "|";
const SEGMENTS = 7;
/** Maximum nesting of a payload. Stored ones have at most 32 levels; deeper ones exhaust common JSON writers. */
const MAX_DEPTH = 128;
/** The record format that this service writes in the seventh segment. */
const RECORD_FORMAT = "1";

/** A record to encode as row data. */
export interface NewRow {
  readonly rowId: bigint;
  /** `0x`-prefixed address of the signing account. */
  readonly sender: string;
  readonly code: string;
  /** Stored with a resolution of one second. */
  readonly createdAt: Date;
  readonly payload: JsonObject;
  readonly topic: string;
}

/** Decoded row data. Segments that other systems may format differently are kept as text. */
export interface Row {
  readonly rowId: string;
  readonly sender: string;
  readonly code: string;
  /** An HTTP date in rows of this service. */
  readonly createdAt: string;
  readonly payload: JsonObject;
  /** The payload's segment: base64 of JSON text. */
  readonly payloadBase64: string;
  /** The sixth segment: the topic in rows of this service. */
  readonly topic: string;
  /** The seventh segment: the record format in rows of this service. */
  readonly format: string;
}

/**
 * Encodes the seven segments of a record.
 *
 * @throws SealbookError `malformed` if decoding would not restore the record
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
  ].join(SEPARATOR);
}

function freeText(path: string, text: string): string {
  // A lone surrogate has no UTF-8 encoding and would be stored as a different character.
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
 * Decodes row data with seven segments, from this service or another.
 *
 * @throws SealbookError `malformed` at `rowdata` if there are not seven segments, and at `rowdata.payload` if the
 * fifth is not base64 of a JSON object
 */
export function decodeRowData(text: string): Row {
  const segments = text.split(SEPARATOR);
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

function decodePayload(base64: string): JsonObject {
  const path = "rowdata.payload";
  const bytes = Buffer.from(base64, "base64");
  // The decoder skips invalid characters, so only text that it would encode identically is valid.
  if (bytes.toString("base64") !== base64) throw malformed(path, "is not base64");
  const text = utf8Text(path, bytes);
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw malformed(path, "is not JSON", cause);
  }
  if (!isJsonObject(value)) throw malformed(path, "is JSON but not an object");
  if (isDeeperThan(MAX_DEPTH, value)) throw malformed(path, `is nested deeper than ${MAX_DEPTH} levels`);
  return value;
}

function isDeeperThan(maximum: number, value: JsonValue): boolean {
  // Without recursion, which deep values would exhaust.
  const open: { readonly value: JsonValue; readonly depth: number }[] = [{ value, depth: 1 }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item.value !== "object" || item.value === null) continue;
    if (item.depth > maximum) return true;
    for (const child of Object.values(item.value)) open.push({ value: child, depth: item.depth + 1 });
  }
  return false;
}

// A bar separates segments, so bars and percent signs in a text are percent-encoded. Other characters are unchanged.

/** Encodes a text as a segment. */
function escapeSegment(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("|", "%7C");
}

/** Decodes a segment. Leaves percent signs outside of these two codes unchanged. */
function unescapeSegment(segment: string): string {
  // Replaces in one pass: in "%257C" only "%25" is a code.
  return segment.replace(/%(25|7C)/gi, (_, digits: string) => (digits === "25" ? "%" : "|"));
}
