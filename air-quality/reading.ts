/** The fields of a found record. */
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

/** A geographic position in degrees. */
export interface Position {
  /** -180 to 180. */
  readonly lng: number;
  /** -90 to 90. */
  readonly lat: number;
}

/** A PM2.5 value of a sensor at a position and time. */
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

/** Upper limit of plausible values in micrograms per cubic metre. Higher values are faults. */
const MAX_VALUE = 100_000;

/**
 * Reads a record that follows the PM2.5 convention, in the form of a search result.
 *
 * @returns `undefined` for every other record
 */
export function readingOf({ payload, ...record }: FoundRecord): Reading | undefined {
  const decoded = decodePayload(payload);
  return decoded === undefined ? undefined : readingIn(record, decoded);
}

/**
 * Reads a record with a decoded payload.
 *
 * @returns `undefined` for a record that does not follow the PM2.5 convention
 */
export function readingIn(
  { sender, code, createdAt }: Omit<FoundRecord, "payload" | "topic">,
  payload: Fields,
): Reading | undefined {
  const time = Date.parse(createdAt);
  // Other writers store the whole message, so that the values are one level deeper.
  const fields = payload["sensorvalue"] === undefined ? fieldsIn(payload, "payload") : payload;
  const enrichment = fieldsIn(fields, "enrichment");
  const position = positionOf(fieldsIn(enrichment, "position"));
  const value = fields?.["sensorvalue"];
  const device = fields?.["sensordevice"];
  const title = enrichment?.["title"] ?? "";
  if (Number.isNaN(time) || position === undefined || typeof device !== "string" || typeof title !== "string")
    return undefined;
  if (typeof value !== "number" || !(value >= 0 && value <= MAX_VALUE)) return undefined;
  return { sender, device, title: title.trim(), position, value, time, code };
}

/** A JSON object with any content. */
type Fields = Readonly<Record<string, unknown>>;

function positionOf(position: Fields | undefined): Position | undefined {
  const lng = degrees(position?.["lng"]);
  const lat = degrees(position?.["lat"]);
  if (!(Math.abs(lng) <= 180 && Math.abs(lat) <= 90)) return undefined;
  return { lng, lat };
}

/** Parses degrees from a number or a text; returns `NaN` for anything else. */
function degrees(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : Number.NaN;
}

function fieldsIn(object: Fields | undefined, key: string): Fields | undefined {
  const value = object?.[key];
  return isFields(value) ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses the JSON object of a record's payload. Also runs in browsers, without `Buffer`. */
function decodePayload(base64: string): Fields | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
