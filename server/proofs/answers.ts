import { z } from "zod";
import { Address, ChainHash, Hash, Metadata, next, seconds, whole } from "../http/openapi/primitives.ts";

const document = {
  id: Hash,
  document_id: z.string(),
  hash: Hash,
  record_hash: Hash.meta({ description: "SHA-256 over document id, timestamp, type and hash: what is anchored." }),
  metadata: Metadata,
};

const onChain = {
  tx_hash: ChainHash,
  block_number: whole,
  block_hash: ChainHash,
  timestamp: seconds("The block's time"),
  validator: z.string().meta({ description: "Who proposed the block: a configured name, or an address." }),
};

const ConfirmedProof = z
  .object({
    status: z.literal("confirmed"),
    id: Hash,
    proof: z.object({
      ...document,
      chain_id: whole,
      contract: Address,
      ...onChain,
      merkle: z
        .object({ root: ChainHash, leaf: ChainHash, index: whole, path: z.array(ChainHash) })
        .optional()
        .meta({ description: "Leads from the recorded hash to the root that was anchored, when it was one of many." }),
    }),
    verification_url: z.string(),
  })
  .meta({ id: "ConfirmedProof", description: "The proof of a document that is on chain." });

const PendingProof = z
  .object({
    status: z.literal("pending"),
    ...document,
    reason: z.string().optional().meta({ description: "Why it was set aside; it is tried again." }),
  })
  .meta({ id: "PendingProof", description: "A document that was accepted and will be on chain." });

/** `POST /api/v1/proof` */
export const ProofAnswer = z.discriminatedUnion("status", [ConfirmedProof, PendingProof]).meta({ id: "ProofAnswer" });

const history = { history: z.array(ProofAnswer).optional().meta({ description: "Older proofs, the newest first." }) };

/** `GET /api/v1/proof/{id}` */
export const FoundProof = z
  .discriminatedUnion("status", [
    z.object({ ...ConfirmedProof.shape, ...history }),
    z.object({ ...PendingProof.shape, ...history }),
  ])
  .meta({ id: "FoundProof", description: "The newest proof that was found, with the older ones." });

const Batch = z.object({
  id: Hash,
  root: ChainHash,
  size: z.int().positive(),
  ...z.object(onChain).partial().shape,
});

/** `POST /api/v1/proof/batch` */
export const BatchAnswer = z
  .object({
    status: z.enum(["confirmed", "pending"]),
    batch: Batch.nullable().meta({
      description: "`null` when all of the documents were known and share no transaction.",
    }),
    proofs: z.array(ProofAnswer),
  })
  .meta({ id: "BatchAnswer", description: "Documents that were sent together, in the order in which they were sent." });

/** `GET /api/v1/proof/batch/{id}` */
export const BatchPage = z
  .object({ status: z.enum(["confirmed", "pending"]), batch: Batch, proofs: z.array(ProofAnswer), next })
  .meta({ id: "BatchPage", description: "A page of the proofs that one transaction anchored." });

/** `GET` and `POST /api/v1/verify` */
export const Verification = z
  .union([
    z.object({
      valid: z.literal(true),
      proof: z
        .object({ tx_hash: ChainHash, block_number: whole, timestamp: onChain.timestamp })
        .optional()
        .meta({ description: "Missing while it is not on chain." }),
    }),
    z.object({ valid: z.literal(false), message: z.string() }),
  ])
  .meta({ id: "Verification", description: "Whether a hash has a proof." });
