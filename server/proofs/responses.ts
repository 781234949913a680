import * as z from "zod";
import { KeyId, PublicJwk } from "../issuer/responses.ts";
import { Address, ChainHash, Hash, Metadata, next, type ResponseOf, seconds, whole } from "../http/responses.ts";

/** The format of a portable proof. */
export const BUNDLE_FORMAT = "sealbook-bundle/1";

const document = {
  id: Hash,
  document_id: z.string(),
  hash: Hash.meta({ description: "SHA-256 of the document." }),
  record_hash: Hash.meta({
    description: "SHA-256 over the UTF-8 text of document id, timestamp, type and hash: the value that is anchored.",
  }),
  metadata: Metadata,
};

const OnChain = z
  .object({
    tx_hash: ChainHash,
    block_number: whole,
    block_hash: ChainHash,
    timestamp: seconds("The block's time"),
    validator: z.string().meta({ description: "The proposer of the block: its configured name or its address." }),
  })
  .meta({ id: "OnChain", description: "A position on the chain." });

const InclusionProof = z
  .object({ root: ChainHash, leaf: ChainHash, index: whole, path: z.array(ChainHash) })
  .meta({ id: "InclusionProof", description: "The inclusion proof of a recorded hash that was anchored in a batch." });

const Proof = z
  .object({
    ...document,
    chain_id: whole,
    contract: Address.meta({ description: "Address of the anchor contract." }),
    ...OnChain.shape,
    merkle: InclusionProof.optional(),
  })
  .meta({ id: "Proof", description: "What was anchored, and where it is on the chain." });

const superseded = z
  .array(OnChain)
  .optional()
  .meta({ description: "Earlier positions on the chain, before a rollback; oldest first." });

/** The proof of a document that is on chain. */
export const ConfirmedProof = z
  .object({
    status: z.literal("confirmed"),
    id: Hash,
    proof: Proof,
    verification_url: z.string(),
    superseded,
  })
  .meta({ id: "ConfirmedProof", description: "The proof of a document that is on chain." });

/** An accepted document that is not on chain yet. */
export const PendingProof = z
  .object({
    status: z.literal("pending"),
    ...document,
    reason: z.string().optional().meta({ description: "The reason for the last failure; the server retries." }),
    superseded,
  })
  .meta({ id: "PendingProof", description: "A document that was accepted and will be on chain." });

/** `POST /api/v1/proof` */
export const ProofResponse = z
  .discriminatedUnion("status", [ConfirmedProof, PendingProof])
  .meta({ id: "ProofResponse" });

const history = {
  history: z.array(ProofResponse).optional().meta({ description: "Older proofs, newest first." }),
  next,
};

/** `GET /api/v1/proof/{id}` */
export const FoundProof = z
  .discriminatedUnion("status", [
    z.object({ ...ConfirmedProof.shape, ...history }).meta({ id: "FoundConfirmedProof" }),
    z.object({ ...PendingProof.shape, ...history }).meta({ id: "FoundPendingProof" }),
  ])
  .meta({ id: "FoundProof", description: "The newest matching proof and the older ones." });

const Batch = z
  .object({
    id: Hash.meta({ description: "The root without `0x`." }),
    root: ChainHash,
    size: z.int().positive(),
    ...OnChain.partial().shape,
  })
  .meta({ id: "Batch", description: "A root, and where it is on the chain." });

/** `POST /api/v1/proof/batch` */
export const BatchResponse = z
  .object({
    status: z.enum(["confirmed", "pending"]),
    batch: Batch.nullable().meta({
      description: "`null` when all documents already had proofs and share no transaction.",
    }),
    proofs: z.array(ProofResponse),
  })
  .meta({ id: "BatchResponse", description: "The proofs of a batch, in the order of the request." });

/** `GET /api/v1/proof/batch/{id}` */
export const BatchPage = z
  .object({ ...BatchResponse.shape, batch: Batch, next })
  .meta({ id: "BatchPage", description: "A page of the proofs that share a transaction." });

/** `GET /api/v1/proof/tx/{txhash}` */
export const AnchoredProofs = z.union([BatchPage, FoundProof]);

const ValidHash = z.object({
  valid: z.literal(true),
  proof: OnChain.pick({ tx_hash: true, block_number: true, timestamp: true }).meta({ id: "VerifiedProof" }),
});
const InvalidHash = z.object({ valid: z.literal(false), message: z.string() }).meta({ id: "InvalidHash" });

/** `GET` and `POST /api/v1/verify` */
export const Verification = z
  .union([ValidHash.meta({ id: "ValidHash" }), InvalidHash])
  .meta({ id: "Verification", description: "The result of a verification." });

const WITH_JOURNAL = { description: "Absent for callers without access to the journal." };
const FoundHash = ValidHash.extend({
  id: Hash.exactOptional().meta(WITH_JOURNAL),
  document_id: z.string().exactOptional().meta(WITH_JOURNAL),
});

/** `POST /api/v1/verify` with `hashes` */
export const Verifications = z
  .object({
    results: z.array(z.union([FoundHash.meta({ id: "FoundHash" }), InvalidHash]).meta({ id: "ListedVerification" })),
  })
  .meta({ id: "Verifications", description: "The results of a list of hashes, in its order." });

const HexBytes = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/)
  .meta({ id: "HexBytes", description: "Bytes as `0x` and lower-case hexadecimal digits." });
const ProvenBytes = z.object({ raw: HexBytes, proof: z.array(HexBytes) }).meta({
  id: "ProvenBytes",
  description: "Bytes of a block, and the trie nodes that prove them, root first.",
});

/** `GET /api/v1/proof/{id}?format=bundle`; docs/proof-format.md describes the format. */
export const Bundle = z
  .object({
    format: z.literal(BUNDLE_FORMAT),
    record: z.object({ document_id: z.string(), hash: Hash, metadata: Metadata, record_hash: Hash }),
    merkle: z
      .object({ index: whole, leaf: ChainHash, path: z.array(ChainHash), root: ChainHash, size: z.int().positive() })
      .nullable()
      .meta({ description: "`null` for a recorded hash that was anchored alone." }),
    anchor: z.object({
      chain_id: whole,
      contract: Address,
      index: whole,
      receipt: ProvenBytes,
      transaction: ProvenBytes,
    }),
    block: z.object({ hash: ChainHash, header: HexBytes }),
    consensus: z.object({ protocol: z.string(), validators: z.array(Address) }),
    signature: z.object({
      algorithm: z.literal("ES256"),
      key_id: KeyId,
      public_key: PublicJwk,
      value: z.string().regex(/^[0-9a-f]{128}$/),
    }),
  })
  .meta({
    id: "Bundle",
    description:
      "A portable proof: it proves the document without this server. The signature covers the exact text: keep it " +
      "unchanged.",
  });

export type ConfirmedProof = ResponseOf<typeof ConfirmedProof>;
export type PendingProof = ResponseOf<typeof PendingProof>;
export type ProofResponse = ResponseOf<typeof ProofResponse>;
export type FoundProof = ResponseOf<typeof FoundProof>;
export type BatchResponse = ResponseOf<typeof BatchResponse>;
export type BatchPage = ResponseOf<typeof BatchPage>;
export type AnchoredProofs = ResponseOf<typeof AnchoredProofs>;
export type Verification = ResponseOf<typeof Verification>;
export type Verifications = ResponseOf<typeof Verifications>;
/** A portable proof without its signature. All hex is lower-case. */
export type Bundle = Omit<ResponseOf<typeof Bundle>, "signature">;
