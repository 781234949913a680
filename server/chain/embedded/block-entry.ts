import { crc32 } from "node:zlib";

/** A block as it is stored in the log. */
export interface BlockEntry {
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** 0x and 64 hex digits. */
  readonly hash: string;
  /** The signed transactions in the order of the block, as 0x hex. */
  readonly transactions: readonly string[];
}

const MAGIC = 0x53424c4b; // "SBLK"
/** Magic, payload length, payload checksum, checksum of these three. */
export const FRAME_HEADER_BYTES = 16;
const FIXED_PAYLOAD_BYTES = 6 + 6 + 32 + 4;
/** Far above the size of any block: 30 million gas buy less than 8 MB of call data. */
export const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;
/** The magic as bytes, to find entries after a damaged one. */
export const FRAME_MAGIC = Buffer.from("SBLK", "latin1");

/** Writes an entry with its header and checksums. */
export function encodeFrame(entry: BlockEntry): Buffer {
  const transactions = entry.transactions.map((raw) => Buffer.from(raw.slice(2), "hex"));
  const size = transactions.reduce((sum, raw) => sum + 4 + raw.length, FIXED_PAYLOAD_BYTES);
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + size);
  const payload = frame.subarray(FRAME_HEADER_BYTES);
  payload.writeUIntBE(entry.number, 0, 6);
  payload.writeUIntBE(entry.timestamp, 6, 6);
  payload.write(entry.hash.slice(2), 12, "hex");
  payload.writeUInt32BE(transactions.length, 44);
  let at = FIXED_PAYLOAD_BYTES;
  for (const raw of transactions) {
    payload.writeUInt32BE(raw.length, at);
    raw.copy(payload, at + 4);
    at += 4 + raw.length;
  }
  frame.writeUInt32BE(MAGIC, 0);
  frame.writeUInt32BE(size, 4);
  frame.writeUInt32BE(crc32(payload), 8);
  frame.writeUInt32BE(crc32(frame.subarray(0, 12)), 12);
  return frame;
}

/** Returns the payload length of a frame header, or null for a damaged header. */
export function payloadLength(header: Buffer): number | null {
  if (header.length < FRAME_HEADER_BYTES || header.readUInt32BE(0) !== MAGIC) return null;
  if (header.readUInt32BE(12) !== crc32(header.subarray(0, 12))) return null;
  const length = header.readUInt32BE(4);
  return length >= FIXED_PAYLOAD_BYTES && length <= MAX_PAYLOAD_BYTES ? length : null;
}

/** Decodes a whole frame; returns null for a damaged payload. The header was checked by {@link payloadLength}. */
export function decodeFrame(frame: Buffer): BlockEntry | null {
  const payload = frame.subarray(FRAME_HEADER_BYTES);
  if (frame.readUInt32BE(8) !== crc32(payload)) return null;
  const transactions: string[] = [];
  let at = FIXED_PAYLOAD_BYTES;
  for (let count = payload.readUInt32BE(44); count > 0; count -= 1) {
    const length = payload.readUInt32BE(at);
    transactions.push(`0x${payload.toString("hex", at + 4, at + 4 + length)}`);
    at += 4 + length;
  }
  return {
    number: payload.readUIntBE(0, 6),
    timestamp: payload.readUIntBE(6, 6),
    hash: `0x${payload.toString("hex", 12, 44)}`,
    transactions,
  };
}
