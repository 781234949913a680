import { z } from "zod";
import { SEGMENT_FORMAT, type SegmentManifest } from "./segment.ts";
import { SegmentFault } from "./segment-fault.ts";

/** Maximum length of a manifest. */
export const MAX_MANIFEST_BYTES = 4_096;
/**
 * Maximum length of a segment's file, compressed or not. A larger length stated by a target must not exhaust the
 * memory.
 */
export const MAX_SEGMENT_BYTES = 256 * 1024 * 1024;

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
