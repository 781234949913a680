import { isJsonObject, parseJson, type JsonObject, type JsonValue } from "../records/json.ts";

/** What a search gives of a record. */
export interface FoundRecord {
  /** `0x`-prefixed address. */
  readonly sender: string;
  readonly code: string;
  readonly topic: string;
  /** HTTP date. */
  readonly createdAt: string;
  /** base64 of the payload's JSON. */
  readonly payload: string;
}

/** A place on the earth, in degrees. */
export interface Position {
  /** -180 to 180. */
  readonly lng: number;
  /** -90 to 90. */
  readonly lat: number;
}

/** A value of PM2.5 that a sensor had at a place and time. */
export interface Reading {
  /** Address of the account that signed the record. */
  readonly sender: string;
  readonly device: string;
  /** Caption; may be empty. */
  readonly title: string;
  readonly position: Position;
  /** Micrograms per cubic metre. */
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The record's code. */
  readonly code: string;
}

/** More than any instrument measures: such a value is a fault, not air. Micrograms per cubic metre. */
const MAX_VALUE = 100_000;

/**
 * Reads a record that keeps to the PM2.5 convention.
 *
 * @returns `undefined` for every other record
 */
export function readingOf(record: FoundRecord): Reading | undefined {
  const payload = decodePayload(record.payload);
  const time = Date.parse(record.createdAt);
  if (payload === undefined || Number.isNaN(time)) return undefined;
  // Other writers store what was sent whole, so that the values stand one level deeper.
  const said = payload["sensorvalue"] === undefined ? objectIn(payload, "payload") : payload;
  const enrichment = objectIn(said, "enrichment");
  const position = positionOf(objectIn(enrichment, "position"));
  const value = said?.["sensorvalue"];
  const device = said?.["sensordevice"];
  const title = enrichment?.["title"] ?? "";
  if (position === undefined || typeof device !== "string" || typeof title !== "string") return undefined;
  if (typeof value !== "number" || !(value >= 0 && value <= MAX_VALUE)) return undefined;
  return { sender: record.sender, device, title: title.trim(), position, value, time, code: record.code };
}

function positionOf(position: JsonObject | undefined): Position | undefined {
  const lng = degrees(position?.["lng"]);
  const lat = degrees(position?.["lat"]);
  if (!(Math.abs(lng) <= 180 && Math.abs(lat) <= 90)) return undefined;
  return { lng, lat };
}

/** A number of degrees, which may stand there as text; `NaN` for anything else. */
function degrees(value: JsonValue | undefined): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : Number.NaN;
}

function objectIn(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = object?.[key];
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

/** The JSON object in a record's payload. Browsers read it with this too: they have no `Buffer`. */
function decodePayload(base64: string): JsonObject | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const value = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
