import * as z from "zod";
import { Jws, KeyId, PublicJwk } from "../issuer/responses.ts";
import { Address, ChainHash, Hash, Metadata, type ResponseOf, seconds, whole } from "../http/responses.ts";

/** The format of a statement; docs/attestation.md describes it. */
export const ATTESTATION_FORMAT = "sealbook-attestation/1";

/** The audience of a statement: it changes the wording, not the facts. */
export const AUDIENCES = ["court", "regulator", "seller"] as const;

const block = { block_number: whole, block_hash: ChainHash, timestamp: seconds("The block's time") };

const AttestedRecord = z
  .object({
    document_id: z.string(),
    hash: Hash,
    record_hash: Hash,
    metadata: Metadata,
    contract: Address.meta({ description: "Address of the contract that has the anchor." }),
    tx_hash: ChainHash,
    ...block,
    validator: z.string(),
    merkle: z
      .object({ root: ChainHash, leaf: ChainHash, index: whole, path: z.array(ChainHash) })
      .nullable()
      .meta({ description: "`null` for a recorded hash that was anchored alone." }),
    first_anchor: z
      .object({ timestamp: seconds("The time of the first anchor"), block_number: whole, size: whole })
      .meta({ description: "The contract's first anchor of the recorded hash, or of the root." }),
    bundle: z
      .string()
      .nullable()
      .meta({ description: "The file with the portable proof; `null` when none is attached." }),
    verification_url: z.string(),
  })
  .meta({ id: "AttestedRecord", description: "A record of the document and the contract's anchor of it." });

const AttestedVerification = z
  .object({
    verification_id: z.uuid(),
    as_of: whole.nullable(),
    finished_at: whole,
    totals: z.object({ documents: whole, match: whole, mismatch: whole, unrecorded: whole, pending: whole }),
    rows_root: Hash.meta({ description: "Merkle root over the rows of the response." }),
    signed_result: z.string().meta({ description: "Compact JWS over the result, signed when the comparison ended." }),
  })
  .meta({ id: "AttestedVerification", description: "A comparison of restored documents with their records." });

const Check = z.object({ title: z.string(), description: z.string(), outcome: z.literal("passed") });

const Step = z.object({
  title: z.string(),
  run: z.string(),
  expect: z.array(z.string()).meta({ description: "Texts that the output contains." }),
  proves: z.string(),
});

const Statement = z
  .object({
    format: z.literal(ATTESTATION_FORMAT),
    audience: z.enum(AUDIENCES),
    subject: z.union([
      z.object({ document_id: z.string() }),
      z.object({ hash: Hash }),
      z.object({ verification_id: z.uuid() }),
    ]),
    issued_at: seconds("The time of the signature"),
    issuer: z.object({
      name: z.string(),
      key_id: KeyId,
      public_key: PublicJwk,
      jwks_url: z.string(),
    }),
    chain: z.object({
      chain_id: whole,
      contract: Address.meta({ description: "The contract of the newest record; each record has its own." }),
      queried_at: z.object(block).meta({ description: "The block at which the contract was queried." }),
    }),
    introduction: z.string(),
    claims: z.array(z.string()),
    limitations: z.array(z.string()),
    record_count: whole
      .optional()
      .meta({ description: "The number of confirmed records; `records` lists the newest of them." }),
    pending_count: whole
      .optional()
      .meta({ description: "The number of records that had no anchor yet; `records` does not list them." }),
    records: z.array(AttestedRecord).optional().meta({ description: "Newest first; missing for a comparison." }),
    verification: AttestedVerification.optional(),
    attachments: z
      .array(z.object({ file: z.string(), sha256: Hash }))
      .meta({ description: "The files that belong to the statement: the verifier and portable proofs." }),
    checks: z.array(Check).meta({ description: "The checks before the signature; a failed check refuses it." }),
    steps: z.array(Step).meta({ description: "The checks that a reader can repeat." }),
  })
  .meta({ id: "Statement", description: "The signed statement; docs/attestation.md describes each field." });

/** `POST /api/v1/recovery/attest` */
export const Attestation = z
  .object({
    attestation: Jws,
    statement: Statement,
    attachments: z
      .array(z.object({ file: z.string(), content: z.string() }))
      .meta({ description: "The files that the statement names. The verifier reads them from the folder of the JWS." }),
    kid: z.string().meta({ description: "The id of the key in the published key set." }),
    jwks_url: z.string(),
  })
  .meta({ id: "Attestation", description: "A signed statement and its content." });

export type Audience = (typeof AUDIENCES)[number];
export type Attestation = ResponseOf<typeof Attestation>;
/** The content of a signed statement. */
export type Statement = ResponseOf<typeof Statement>;
/** A record of the document, with the contract's first anchor of it. */
export type AttestedRecord = ResponseOf<typeof AttestedRecord>;
export type AttestedVerification = ResponseOf<typeof AttestedVerification>;
/** A check made before the signature. */
export type AttestationCheck = ResponseOf<typeof Check>;
/** A check that a reader can repeat: a command and the texts that its output contains. */
export type AttestationStep = ResponseOf<typeof Step>;
