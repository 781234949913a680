import { yieldToEventLoop } from "../kit/event-loop.ts";
import { keyIdOf, publicJwk } from "../issuer/signing-key.ts";
import type { SignedVerification } from "../recovery/index.ts";
import {
  type Statement,
  ATTESTATION_FORMAT,
  type AttestedRecord,
  type AttestedVerification,
  type Audience,
} from "./responses.ts";
import { hash } from "node:crypto";
import { checksOf } from "./checks.ts";
import { type AttestationFacts, type AttestedProof, attachmentsOf } from "./facts.ts";
import { stepsOf } from "./steps.ts";
import { wordingOf } from "./wording.ts";
import { hex, prefixedHex } from "../kit/bytes.ts";

/** Records that are mapped at a time: other requests are served in between. */
const RECORDS_AT_ONCE = 25;

/** Creates the statement of the facts for an audience. */
export async function attestationOf(facts: AttestationFacts, audience: Audience): Promise<Statement> {
  const { issuer, installation, queriedAt } = facts;
  const records: AttestedRecord[] = [];
  for (const [index, record] of ("records" in facts ? facts.records : []).entries()) {
    if (index % RECORDS_AT_ONCE === 0) await yieldToEventLoop();
    records.push(recordOf(record, installation.explorerUrl));
  }
  return {
    format: ATTESTATION_FORMAT,
    audience,
    subject: subjectOf(facts),
    issued_at: facts.issuedAt,
    issuer: {
      name: issuer.name,
      key_id: keyIdOf(issuer.publicKey),
      public_key: publicJwk(issuer.publicKey),
      jwks_url: issuer.jwksUrl,
    },
    chain: {
      chain_id: installation.chainId,
      contract: facts.installation.contract,
      queried_at: {
        block_number: queriedAt.number,
        block_hash: prefixedHex(queriedAt.hash),
        timestamp: queriedAt.time,
      },
    },
    ...wordingOf(facts, audience),
    ...("records" in facts
      ? {
          record_count: facts.count,
          pending_count: facts.pendingCount,
          records,
        }
      : { verification: verificationOf(facts.verification) }),
    attachments: attachmentsOf(facts).map(({ file, content }) => ({ file, sha256: hash("sha256", content) })),
    checks: checksOf(facts),
    steps: stepsOf(facts),
  };
}

function subjectOf(facts: AttestationFacts): Statement["subject"] {
  if ("verification" in facts) return { verification_id: facts.verification.id };
  return "documentId" in facts.subject ? { document_id: facts.subject.documentId } : { hash: hex(facts.subject.hash) };
}

function recordOf({ proof, firstAnchor, bundle }: AttestedProof, explorerUrl: string): AttestedRecord {
  const { documentId, hash, recordHash, metadata, merkle } = proof;
  const { contract, transactionHash, block } = proof.outcome;
  const tx_hash = prefixedHex(transactionHash);
  return {
    document_id: documentId,
    hash: hex(hash),
    record_hash: hex(recordHash),
    metadata,
    contract,
    tx_hash,
    block_number: block.number,
    block_hash: prefixedHex(block.hash),
    timestamp: block.time,
    validator: block.validator,
    merkle:
      merkle === undefined
        ? null
        : {
            root: prefixedHex(merkle.root),
            leaf: prefixedHex(merkle.leaf),
            index: merkle.index,
            path: merkle.path.map(prefixedHex),
          },
    first_anchor: { timestamp: firstAnchor.time, block_number: firstAnchor.blockNumber, size: firstAnchor.size },
    bundle: bundle?.file ?? null,
    verification_url: `${explorerUrl}/tx/${tx_hash}`,
  };
}

function verificationOf({ id, asOf, finishedAt, totals, rowsRoot, signed }: SignedVerification): AttestedVerification {
  return {
    verification_id: id,
    as_of: asOf ?? null,
    finished_at: Math.floor(finishedAt / 1000),
    totals,
    rows_root: hex(rowsRoot),
    signed_result: signed,
  };
}
