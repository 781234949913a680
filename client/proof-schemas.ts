import { z } from "zod";
import { hex32, Metadata, sha256, whole } from "./primitives.ts";

const Document = z.looseObject({
  id: sha256,
  document_id: z.string(),
  /** SHA-256 of the document. */
  hash: sha256,
  /** SHA-256 over the UTF-8 text of document id, timestamp, type and hash: what is anchored. */
  record_hash: sha256,
  metadata: Metadata,
});

/** What proves a hash that was anchored as one of many. */
const Merkle = z.looseObject({ root: hex32, leaf: hex32, index: whole, path: z.array(hex32) });

const Proof = Document.extend({
  chain_id: whole,
  /** Address of the anchor contract. */
  contract: z.string().regex(/^0x[0-9a-fA-F]{40}$/, "is not an address"),
  tx_hash: hex32,
  block_number: whole,
  block_hash: hex32,
  /** The block's time, Unix seconds. */
  timestamp: whole,
  validator: z.string(),
  merkle: Merkle.optional(),
});

/** The proof of a document that is on chain. Fields that are not named here are kept as they are. */
export const ConfirmedProof = z.looseObject({
  status: z.literal("confirmed"),
  id: sha256,
  proof: Proof,
  verification_url: z.string(),
});

/** A document that was accepted and will be on chain. */
export const PendingProof = Document.extend({ status: z.literal("pending") });

/** A proof as the server answers it. */
export const ProofAnswer = z.discriminatedUnion("status", [ConfirmedProof, PendingProof]);

const history = { history: z.array(ProofAnswer).optional() };

/** The newest proof that was found, with the older ones. */
export const FoundProof = z.discriminatedUnion("status", [
  ConfirmedProof.extend(history),
  PendingProof.extend(history),
]);

const Batch = z.looseObject({
  /** The root without `0x`. */
  id: sha256,
  root: hex32,
  size: whole,
  /** Missing while the batch is not on chain. */
  tx_hash: hex32.optional(),
  block_number: whole.optional(),
});
const status = z.enum(["confirmed", "pending"]);

/** Documents that were sent together, in their order; no batch when all of them had proofs before. */
export const BatchAnswer = z.looseObject({ status, batch: Batch.nullable(), proofs: z.array(ProofAnswer) });

/** A page of the proofs that share a transaction. */
export const BatchPage = z.looseObject({
  status,
  batch: Batch,
  proofs: z.array(ProofAnswer),
  next: z.string().optional(),
});

/** What a transaction anchored: one proof, or a page of a batch. */
export const Anchored = z.union([FoundProof, BatchPage]);

/** What was wrong, or still is. */
export const Alert = z.looseObject({
  alert: z.string(),
  state: z.enum(["raised", "resolved"]),
  subject: z.string().optional(),
  message: z.string(),
  /** Unix seconds. */
  raised_at: whole,
  resolved_at: whole.nullable(),
});

export const Alerts = z.looseObject({ alerts: z.array(Alert) });

/** What is looked at of a portable proof; to check it is the business of a verifier. */
export const Bundle = z.looseObject({
  format: z.literal("sealbook-bundle/1"),
  record: z.looseObject({ record_hash: sha256 }),
});

/** Whether a hash has a proof. */
export const Verification = z.discriminatedUnion("valid", [
  z.looseObject({
    valid: z.literal(true),
    proof: z.looseObject({ tx_hash: hex32, block_number: whole, timestamp: whole }),
  }),
  z.looseObject({ valid: z.literal(false), message: z.string() }),
]);

/** The state of the server and its chain. */
export const Status = z.looseObject({
  status: z.enum(["ok", "degraded", "down"]),
  version: z.string(),
  uptime: z.number(),
  node: z.looseObject({ chain_id: whole, block_number: whole.nullable() }),
  journal: z.looseObject({ records: whole, pending: whole }),
});

export type ProofMetadata = z.output<typeof Metadata>;
export type ConfirmedProof = z.output<typeof ConfirmedProof>;
export type PendingProof = z.output<typeof PendingProof>;
export type ProofAnswer = z.output<typeof ProofAnswer>;
export type FoundProof = z.output<typeof FoundProof>;
export type BatchAnswer = z.output<typeof BatchAnswer>;
export type Anchored = z.output<typeof Anchored>;
export type BatchPage = z.output<typeof BatchPage>;
export type Alert = z.output<typeof Alert>;
export type Verification = z.output<typeof Verification>;
export type Status = z.output<typeof Status>;
