import { EXPLORER_OPERATIONS } from "../explorer/openapi.ts";
import { ATTEST_OPERATIONS } from "../attestation/openapi.ts";
import { PROOF_OPERATIONS } from "../proofs/openapi.ts";
import { RECOVERY_OPERATIONS } from "../recovery/openapi.ts";
import { RECORD_OPERATIONS } from "../records/openapi.ts";
import type { Tag } from "../http/openapi/document.ts";
import type { Operation } from "../http/openapi/operation.ts";
import { SERVICE_OPERATIONS } from "../operations/openapi.ts";

/** The groups of the operations. */
export const TAGS: readonly Tag[] = [
  { name: "Records", description: "The record store: signed rows on chain, searchable by code and topic." },
  { name: "Proofs", description: "Integrity proofs: anchored hashes, searchable by document, hash and transaction." },
  { name: "Recovery", description: "Comparison of restored data with its records, and attestations." },
  { name: "Explorer", description: "Public data of the chain. Needs no credentials and never reads the journal." },
  { name: "Operation", description: "Health, metrics, alerts and this document." },
];

/** All operations of the server. */
export const OPERATIONS: readonly Operation[] = [
  ...RECORD_OPERATIONS,
  ...PROOF_OPERATIONS,
  ...RECOVERY_OPERATIONS,
  ...EXPLORER_OPERATIONS,
  ...ATTEST_OPERATIONS,
  ...SERVICE_OPERATIONS,
];
