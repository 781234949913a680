import * as z from "zod";
import { hex } from "../../kit/bytes.ts";

/**
 * The entries of the journal: one object for each kind, with the names that stand in its text. The text is a line of
 * JSON with the keys in this order; digests are computed over it. It is frozen: an anchored digest must be reproducible
 * from the same entry.
 */

const whole = z.number().int().nonnegative();
const bytes = (length: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${2 * length}}$`))
    .transform((text): Uint8Array => Buffer.from(text, "hex"));
const bytes32 = bytes(32);
/** With checksum. */
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** A proof: leaf `leaf` under anchor `anchor`. */
const Proof = z.strictObject({
  sequence: whole,
  kind: z.literal("proof"),
  document_id: z.string(),
  hash: bytes32,
  /** Unix seconds. */
  timestamp: z.number().int(),
  type: z.string().nullable(),
  source: z.string().nullable(),
  /** The other metadata. */
  metadata: z.custom<Readonly<Record<string, unknown>> | null>(
    (value) => value === null || (typeof value === "object" && !Array.isArray(value)),
  ),
  /** Unix milliseconds. */
  accepted_at: whole,
  anchor: whole,
  leaf: whole,
});

/** A confirmed anchor: over the leaves of a batch, or a checkpoint. */
const Confirmation = z.strictObject({
  sequence: whole,
  kind: z.literal("confirmation"),
  anchor: whole,
  hash: bytes32,
  /** Number of leaves under the hash; 0 for a single hash. */
  size: whole,
  /** The entry whose digest is anchored; `null` for proofs. */
  checkpoint: whole.nullable(),
  /** Of the contract that has the anchor. */
  contract: address,
  tx_hash: bytes32,
  block_number: whole,
  block_hash: bytes32,
  /** Unix seconds. */
  block_time: whole,
  validator: z.string(),
});

/** An account: its key, encrypted with its password. */
const Account = z.strictObject({
  sequence: whole,
  kind: z.literal("account"),
  address: z.string(),
  keystore: z.string(),
  /** Unix milliseconds. */
  created_at: whole,
});

/** A key of the issuer of bundles and statements. Several entries can have one key: the newest one counts. */
const IssuerKey = z.strictObject({
  sequence: whole,
  kind: z.literal("issuer_key"),
  /** The uncompressed point on P-256. */
  public_key: bytes(65),
  /** The private key, encrypted with a password; `null` when there is no password. */
  keystore: z.string().nullable(),
  /** Unix milliseconds. */
  created_at: whole,
});

/** The result of a recovery verification. */
const Verification = z.strictObject({
  sequence: whole,
  kind: z.literal("verification"),
  id: z.string(),
  /** Unix seconds; later records were ignored. */
  as_of: z.number().int().nullable(),
  /** The newest entry at its start. */
  newest_entry: whole,
  /** Unix milliseconds. */
  finished_at: whole,
  match: whole,
  mismatch: whole,
  unrecorded: whole,
  pending: whole,
  /** Merkle root over the rows of the response. */
  rows_root: bytes32,
  /** Covers the compared documents. */
  documents: bytes32,
  /** The issuer's signature over the result, as a compact JWS; `null` when nothing could be signed. */
  signed: z.string().nullable(),
});

/** A divergence that an operator has looked into. */
const Resolution = z.strictObject({
  sequence: whole,
  kind: z.literal("resolution"),
  /** Its subject and message. */
  divergence: z.string(),
  reason: z.string(),
  /** Unix milliseconds. */
  resolved_at: whole,
});

/**
 * A record that an account stores: the digest of the call that goes on chain, and of the idempotency key by which a
 * repeat is recognized.
 */
const Store = z.strictObject({
  sequence: whole,
  kind: z.literal("store"),
  account: address,
  /** In decimal digits, up to those of 2^256 - 1. */
  row_id: z.string().regex(/^(?:0|[1-9]\d{0,77})$/),
  /** SHA-256 of the call data. */
  call: bytes32,
  /** SHA-256 of the caller and its idempotency key; `null` without one. */
  idempotency_key: bytes32.nullable(),
  /** SHA-256 of the route and the body. */
  request: bytes32,
  /** Unix milliseconds. */
  accepted_at: whole,
});

const Entry = z.discriminatedUnion("kind", [Proof, Confirmation, Account, IssuerKey, Verification, Resolution, Store]);

/** The keys of each kind, in their order, as they stand in the text. */
const KEYS = new Map(
  Entry.options.map(({ shape }) => [
    shape.kind.value,
    Object.keys(shape).map((key, index) => ({ key, text: `${index === 0 ? "{" : ","}"${key}":` })),
  ]),
);

export type ProofEntry = Readonly<z.output<typeof Proof>>;
export type ConfirmationEntry = Readonly<z.output<typeof Confirmation>>;
export type AccountEntry = Readonly<z.output<typeof Account>>;
export type IssuerKeyEntry = Readonly<z.output<typeof IssuerKey>>;
export type VerificationEntry = Readonly<z.output<typeof Verification>>;
export type StoreEntry = Readonly<z.output<typeof Store>>;
export type ResolutionEntry = Readonly<z.output<typeof Resolution>>;

/** An entry of any kind. */
export type JournalEntry = Readonly<z.output<typeof Entry>>;

/**
 * Decodes the text of an entry.
 * @throws when the text is not an entry
 */
export function decodeEntry(text: string): JournalEntry {
  return Entry.parse(JSON.parse(text));
}

/** Encodes an entry as its text. */
export function encodeEntry(entry: JournalEntry): string {
  const values: Readonly<Record<string, unknown>> = entry;
  let text = "";
  // Concatenated for speed: it runs for every proof.
  for (const { key, text: name } of KEYS.get(entry.kind) ?? []) text += name + encodeValue(values[key]);
  return `${text}}`;
}

function encodeValue(value: unknown): string {
  if (typeof value === "number") return String(value);
  return value instanceof Uint8Array ? `"${hex(value)}"` : JSON.stringify(value);
}
