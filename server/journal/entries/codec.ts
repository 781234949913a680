import * as z from "zod";
import { hex } from "../../kit/bytes.ts";

/**
 * The canonical encoding of entries, over which the digests are computed. It is frozen: an anchored digest must be
 * reproducible from the same entry.
 */

/** A proof: leaf `leaf` under anchor `anchor`. */
export interface ProofEntry {
  readonly sequence: number;
  readonly documentId: string;
  readonly hash: Uint8Array;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly type: string | null;
  readonly source: string | null;
  /** JSON of the other metadata. */
  readonly metadata: string | null;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  readonly anchor: number;
  readonly leaf: number;
}

/** A confirmed anchor: over the leaves of a batch, or a checkpoint. */
export interface ConfirmationEntry {
  readonly sequence: number;
  readonly anchor: number;
  readonly hash: Uint8Array;
  /** Number of leaves under the hash; 0 for a single hash. */
  readonly size: number;
  /** The entry whose digest is anchored; `null` for proofs. */
  readonly checkpoint: number | null;
  /** Address of the contract that has the anchor, with checksum. */
  readonly contract: string;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
  readonly blockHash: Uint8Array;
  /** Unix seconds. */
  readonly blockTime: number;
  readonly validator: string;
}

/** An account: its key, encrypted with its password. */
export interface AccountEntry {
  readonly sequence: number;
  readonly address: string;
  readonly keystore: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The result of a recovery verification. */
export interface VerificationEntry {
  readonly sequence: number;
  readonly id: string;
  /** Unix seconds; later records were ignored. */
  readonly asOf: number | null;
  /** The newest entry at its start. */
  readonly newestEntry: number;
  /** Unix milliseconds. */
  readonly finishedAt: number;
  readonly match: number;
  readonly mismatch: number;
  readonly unrecorded: number;
  /** Merkle root over the rows of the response. */
  readonly rowsRoot: Uint8Array;
  /** Covers the compared documents. */
  readonly documents: Uint8Array;
  /** The issuer's signature over the result, as a compact JWS; `null` when nothing could be signed. */
  readonly signed: string | null;
}

/** A divergence that an operator has looked into. */
export interface ResolutionEntry {
  readonly sequence: number;
  /** The cause and the subjects of the divergence. */
  readonly divergence: string;
  readonly reason: string;
  /** Unix milliseconds. */
  readonly resolvedAt: number;
}

/** A key of the issuer of bundles and statements. Several entries can have one key: the newest one counts. */
export interface IssuerKeyEntry {
  readonly sequence: number;
  /** The uncompressed point on P-256: 65 bytes. */
  readonly publicKey: Uint8Array;
  /** The private key, encrypted with a password; `null` when there is no password. */
  readonly keystore: string | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

function encodeProof(entry: ProofEntry): string {
  const { sequence, documentId, hash, timestamp, type, source, metadata, acceptedAt, anchor, leaf } = entry;
  // Concatenated for speed: it runs for every proof, and the metadata are JSON already.
  return (
    `{"sequence":${sequence},"kind":"proof","document_id":${JSON.stringify(documentId)},"hash":"${hex(hash)}",` +
    `"timestamp":${timestamp},"type":${JSON.stringify(type)},"source":${JSON.stringify(source)},` +
    `"metadata":${metadata ?? "null"},` +
    `"accepted_at":${acceptedAt},"anchor":${anchor},"leaf":${leaf}}`
  );
}

function encodeConfirmation(entry: ConfirmationEntry): string {
  return JSON.stringify({
    sequence: entry.sequence,
    kind: "confirmation",
    anchor: entry.anchor,
    hash: hex(entry.hash),
    size: entry.size,
    checkpoint: entry.checkpoint,
    contract: entry.contract,
    tx_hash: hex(entry.transactionHash),
    block_number: entry.blockNumber,
    block_hash: hex(entry.blockHash),
    block_time: entry.blockTime,
    validator: entry.validator,
  });
}

function encodeAccount({ sequence, address, keystore, createdAt }: AccountEntry): string {
  return JSON.stringify({ sequence, kind: "account", address, keystore, created_at: createdAt });
}

function encodeVerification(entry: VerificationEntry): string {
  return JSON.stringify({
    sequence: entry.sequence,
    kind: "verification",
    id: entry.id,
    as_of: entry.asOf,
    newest_entry: entry.newestEntry,
    finished_at: entry.finishedAt,
    match: entry.match,
    mismatch: entry.mismatch,
    unrecorded: entry.unrecorded,
    rows_root: hex(entry.rowsRoot),
    documents: hex(entry.documents),
    signed: entry.signed,
  });
}

function encodeResolution({ sequence, divergence, reason, resolvedAt }: ResolutionEntry): string {
  return JSON.stringify({ sequence, kind: "resolution", divergence, reason, resolved_at: resolvedAt });
}

function encodeIssuerKey(entry: IssuerKeyEntry): string {
  return JSON.stringify({
    sequence: entry.sequence,
    kind: "issuer_key",
    public_key: hex(entry.publicKey),
    keystore: entry.keystore,
    created_at: entry.createdAt,
  });
}

const whole = z.number().int().nonnegative();
const bytes = (length: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${2 * length}}$`))
    .transform((text): Uint8Array => Buffer.from(text, "hex"));
const bytes32 = bytes(32);

const Line = z.discriminatedUnion("kind", [
  z.strictObject({
    sequence: whole,
    kind: z.literal("proof"),
    document_id: z.string(),
    hash: bytes32,
    timestamp: z.number().int(),
    type: z.string().nullable(),
    source: z.string().nullable(),
    metadata: z.unknown().transform((value) => (value === null ? null : JSON.stringify(value))),
    accepted_at: whole,
    anchor: whole,
    leaf: whole,
  }),
  z.strictObject({
    sequence: whole,
    kind: z.literal("confirmation"),
    anchor: whole,
    hash: bytes32,
    size: whole,
    checkpoint: whole.nullable(),
    contract: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    tx_hash: bytes32,
    block_number: whole,
    block_hash: bytes32,
    block_time: whole,
    validator: z.string(),
  }),
  z.strictObject({
    sequence: whole,
    kind: z.literal("account"),
    address: z.string(),
    keystore: z.string(),
    created_at: whole,
  }),
  z.strictObject({
    sequence: whole,
    kind: z.literal("verification"),
    id: z.string(),
    as_of: z.number().int().nullable(),
    newest_entry: whole,
    finished_at: whole,
    match: whole,
    mismatch: whole,
    unrecorded: whole,
    rows_root: bytes32,
    documents: bytes32,
    signed: z.string().nullable(),
  }),
  z.strictObject({
    sequence: whole,
    kind: z.literal("resolution"),
    divergence: z.string(),
    reason: z.string(),
    resolved_at: whole,
  }),
  z.strictObject({
    sequence: whole,
    kind: z.literal("issuer_key"),
    public_key: bytes(65),
    keystore: z.string().nullable(),
    created_at: whole,
  }),
]);

/** An entry with its kind. */
export type JournalEntry =
  | ({ readonly kind: "proof" } & ProofEntry)
  | ({ readonly kind: "confirmation" } & ConfirmationEntry)
  | ({ readonly kind: "account" } & AccountEntry)
  | ({ readonly kind: "issuer_key" } & IssuerKeyEntry)
  | ({ readonly kind: "verification" } & VerificationEntry)
  | ({ readonly kind: "resolution" } & ResolutionEntry);

/**
 * Decodes an entry.
 * @throws when the text is not an entry
 */
export function decodeEntry(text: string): JournalEntry {
  const line = Line.parse(JSON.parse(text));
  switch (line.kind) {
    case "proof": {
      const { document_id: documentId, accepted_at: acceptedAt, ...same } = line;
      return { ...same, documentId, acceptedAt };
    }
    case "account": {
      const { created_at: createdAt, ...same } = line;
      return { ...same, createdAt };
    }
    case "verification": {
      const { as_of: asOf, newest_entry: newestEntry, finished_at: finishedAt, rows_root: rowsRoot, ...same } = line;
      return { ...same, asOf, newestEntry, finishedAt, rowsRoot };
    }
    case "resolution": {
      const { resolved_at: resolvedAt, ...same } = line;
      return { ...same, resolvedAt };
    }
    case "issuer_key": {
      const { public_key: publicKey, created_at: createdAt, ...same } = line;
      return { ...same, publicKey, createdAt };
    }
    case "confirmation":
      return {
        kind: line.kind,
        sequence: line.sequence,
        anchor: line.anchor,
        hash: line.hash,
        size: line.size,
        checkpoint: line.checkpoint,
        contract: line.contract,
        transactionHash: line.tx_hash,
        blockNumber: line.block_number,
        blockHash: line.block_hash,
        blockTime: line.block_time,
        validator: line.validator,
      };
  }
}

/** Encodes an entry in its canonical form. */
export function encodeEntry(entry: JournalEntry): string {
  switch (entry.kind) {
    case "proof":
      return encodeProof(entry);
    case "confirmation":
      return encodeConfirmation(entry);
    case "account":
      return encodeAccount(entry);
    case "verification":
      return encodeVerification(entry);
    case "resolution":
      return encodeResolution(entry);
    case "issuer_key":
      return encodeIssuerKey(entry);
  }
}
