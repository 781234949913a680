import { z } from "zod";
import { ATTESTATION_FORMAT, AUDIENCES } from "./attestation.ts";
import { Address, ChainHash, Hash, Metadata, seconds, whole } from "../http/openapi/primitives.ts";

const block = { block_number: whole, block_hash: ChainHash, timestamp: seconds("The block's time") };

const AttestedRecord = z
  .object({
    document_id: z.string(),
    hash: Hash,
    record_hash: Hash,
    metadata: Metadata,
    tx_hash: ChainHash,
    ...block,
    validator: z.string(),
    merkle: z
      .object({ root: ChainHash, leaf: ChainHash, index: whole, path: z.array(ChainHash) })
      .nullable()
      .meta({ description: "`null` for a recorded hash that went on chain alone." }),
    first_anchor: z
      .object({ timestamp: seconds("The first time that the contract saw it"), block_number: whole, size: whole })
      .meta({ description: "What the contract has of the recorded hash, or of the root." }),
    verification_url: z.string(),
  })
  .meta({
    id: "AttestedRecord",
    description: "What was recorded of a document, and what the contract answered about it.",
  });

const AttestedVerification = z
  .object({
    verification_id: z.uuid(),
    as_of: whole.nullable(),
    finished_at: whole,
    totals: z.object({ documents: whole, match: whole, mismatch: whole, unrecorded: whole }),
    rows_root: Hash.meta({ description: "Merkle root over the rows as they were told." }),
  })
  .meta({ id: "AttestedVerification", description: "A comparison of restored documents with what was recorded." });

const Statement = z
  .object({
    format: z.literal(ATTESTATION_FORMAT),
    audience: z.enum(AUDIENCES),
    subject: z.union([
      z.object({ document_id: z.string() }),
      z.object({ hash: Hash }),
      z.object({ verification_id: z.uuid() }),
    ]),
    issued_at: seconds("When it was signed"),
    issuer: z.object({ name: z.string(), key_id: z.string(), public_key: Hash, jwks_url: z.string() }),
    chain: z.object({ chain_id: whole, contract: Address, queried_at: z.object(block) }),
    introduction: z.string(),
    claims: z.array(z.string()),
    limitations: z.array(z.string()),
    record_count: whole
      .optional()
      .meta({ description: "How many records there are; `records` lists the newest of them." }),
    records: z.array(AttestedRecord).optional().meta({ description: "The newest first; missing for a comparison." }),
    verification: AttestedVerification.optional(),
    checks: z.array(z.object({ title: z.string(), description: z.string(), outcome: z.literal("passed") })),
    steps: z.array(z.object({ title: z.string(), run: z.string(), expect: z.array(z.string()), proves: z.string() })),
  })
  .meta({ id: "Statement", description: "What is signed: docs/attestation.md says what each field is." });

/** A compact JWS (RFC 7515). */
export const Jws = z
  .string()
  .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  .meta({ id: "Jws", description: "A compact JWS (RFC 7515) with an Ed25519 signature." });

/** `POST /api/v1/recovery/attest` */
export const AttestAnswer = z
  .object({
    attestation: Jws,
    statement: Statement,
    kid: z.string().meta({ description: "The key's id in the published key set." }),
    jwks_url: z.string(),
  })
  .meta({ id: "Attestation", description: "A signed statement, and what it says." });
