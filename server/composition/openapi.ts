import { EXPLORER_OPERATIONS } from "../explorer/openapi.ts";
import { ATTEST_OPERATIONS } from "../attestation/openapi.ts";
import { PROOF_OPERATIONS } from "../proofs/openapi.ts";
import { RECOVERY_OPERATIONS } from "../recovery/openapi.ts";
import { RECORD_OPERATIONS } from "../records/openapi.ts";
import type { Tag } from "../http/openapi/document.ts";
import type { Operation } from "../http/openapi/operation.ts";
import { SERVICE_OPERATIONS } from "../operations/openapi.ts";

/** Groups of operations. */
export const TAGS: readonly Tag[] = [
  { name: "Records", description: "The record store: signed rows on chain, found by code and topic." },
  { name: "Proofs", description: "Integrity proofs: hashes on chain, found by document, hash and transaction." },
  { name: "Recovery", description: "What is asked after a disaster." },
  { name: "Explorer", description: "What anybody can see of the chain, without a key; nothing of the journal." },
  { name: "Operation", description: "How the server is." },
];

/** Everything that can be asked of the server. What is new is added to the list of its kind. */
export const OPERATIONS: readonly Operation[] = [
  ...RECORD_OPERATIONS,
  ...PROOF_OPERATIONS,
  ...RECOVERY_OPERATIONS,
  ...EXPLORER_OPERATIONS,
  ...ATTEST_OPERATIONS,
  ...SERVICE_OPERATIONS,
];
