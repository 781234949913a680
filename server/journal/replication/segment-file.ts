import * as z from "zod";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip as gunzipCallback, gzip as gzipCallback } from "node:zlib";
import { type Segment, SEGMENT_FORMAT, SegmentFault, type SegmentManifest } from "./segment.ts";
import { dataName } from "./layout.ts";
import { hex } from "../../kit/bytes.ts";

/** Maximum length of a manifest. */
export const MAX_MANIFEST_BYTES = 4_096;
/**
 * Maximum length of a segment's file, compressed or not. A larger length stated by a target must not exhaust the
 * memory.
 */
const MAX_SEGMENT_BYTES = 256 * 1024 * 1024;

const count = z.number().int().positive();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in lower-case hex");

const Manifest = z.strictObject({
  format: z.literal(SEGMENT_FORMAT),
  number: count,
  first: count,
  last: count,
  previous_digest: sha256,
  digest: sha256,
  file: z.string(),
  bytes: count.max(MAX_SEGMENT_BYTES),
  sha256,
  created_at: z.iso.datetime(),
});

/** Serializes a manifest. */
export function formatManifest(manifest: SegmentManifest): Buffer {
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Parses the manifest of a segment.
 * @throws SegmentFault with the part that is invalid
 */
export function parseManifest(number: number, stored: Buffer): SegmentManifest {
  let value: unknown;
  try {
    value = JSON.parse(stored.toString());
  } catch {
    throw new SegmentFault(number, "its manifest is not JSON");
  }
  const { data, error } = Manifest.safeParse(value);
  if (data !== undefined) {
    if (data.number !== number) throw new SegmentFault(number, `its manifest is that of segment ${data.number}`);
    return data;
  }
  const faults = error.issues.map(({ path, message }) => [...path, message].join(": "));
  throw new SegmentFault(number, `its manifest is not one: ${faults.join("; ")}`);
}

const gzip = promisify(gzipCallback);
const gunzip = promisify(gunzipCallback);

/** A serialized segment. */
export interface PackedSegment {
  readonly manifest: SegmentManifest;
  readonly data: Buffer;
}

/**
 * Packs the entries of a segment into one file, one per line. Uses gzip rather than a stronger compression, because
 * gzip is available everywhere.
 */
export async function packSegment(segment: Segment, createdAt: Date): Promise<PackedSegment> {
  const data = await gzip(segment.lines.map(({ text }) => `${text}\n`).join(""));
  const sha256 = sha256Of(data);
  const manifest: SegmentManifest = {
    format: SEGMENT_FORMAT,
    number: segment.number,
    first: segment.first,
    last: segment.last,
    previous_digest: hex(segment.previousDigest),
    digest: hex(segment.digest),
    file: dataName(segment.number, sha256),
    bytes: data.length,
    sha256,
    created_at: createdAt.toISOString(),
  };
  return { manifest, data };
}

/**
 * Returns the texts of the entries in a segment's file.
 * @throws SegmentFault when the file does not match the manifest
 */
export async function unpackSegment(
  { number, first, bytes, sha256 }: SegmentManifest,
  data: Buffer,
): Promise<string[]> {
  if (data.length !== bytes) {
    throw new SegmentFault(number, `its file has ${data.length} bytes, but its manifest has ${bytes}`);
  }
  const actual = sha256Of(data);
  if (actual !== sha256)
    throw new SegmentFault(number, `its file has SHA-256 ${actual}, but its manifest has ${sha256}`);
  return splitLines(number, first, await decompress(number, data));
}

async function decompress(number: number, data: Buffer): Promise<Buffer> {
  try {
    return await gunzip(data, { maxOutputLength: MAX_SEGMENT_BYTES });
  } catch (error) {
    throw new SegmentFault(
      number,
      `its file cannot be decompressed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function splitLines(number: number, first: number, content: Buffer): string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const lines: string[] = [];
  for (let start = 0; start < content.length;) {
    const sequence = first + lines.length;
    const end = content.indexOf("\n", start);
    if (end === -1) throw new SegmentFault(number, "is cut off", sequence);
    try {
      lines.push(decoder.decode(content.subarray(start, end)));
    } catch {
      throw new SegmentFault(number, "is not UTF-8", sequence);
    }
    start = end + 1;
  }
  return lines;
}

function sha256Of(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
