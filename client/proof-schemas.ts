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
export const FoundProof = z.discriminatedUnion("status", [ConfirmedProof.extend(history), PendingProof.extend(history)]);

/** What is looked at of a portable proof; to check it is the business of a verifier. */
export const Bundle = z.looseObject({ format: z.literal("sealbook-bundle/1"), record: z.looseObject({ record_hash: sha256 }) });

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
export type Verification = z.output<typeof Verification>;
export type Status = z.output<typeof Status>;
