import { attest } from "../attestation/api.ts";
import { keys } from "../issuer/api.ts";
import { EXPLORER_ROUTES } from "../explorer/api.ts";
import type { Examples, Tag } from "../http/openapi/document.ts";
import { openApi } from "../http/openapi/router.ts";
import { recordStoreRoute } from "../http/record-store/route.ts";
import type { Route } from "../http/route.ts";
import { OPERATIONS_ROUTES } from "../operations/api.ts";
import { PROOF_ROUTES } from "../proofs/api.ts";
import { RECORD_CALLS } from "../records/api.ts";
import { RECOVERY_ROUTES } from "../recovery/api.ts";
import { SESSION_CALLS } from "../sessions/api.ts";
import examples from "../../docs/openapi-examples.json" with { type: "json" };

/** The groups of the operations. */
export const TAGS: readonly Tag[] = [
  { name: "Records", description: "The record store: signed rows on chain, searchable by code and topic." },
  { name: "Proofs", description: "Integrity proofs: anchored hashes, searchable by document, hash and transaction." },
  { name: "Recovery", description: "Comparison of restored data with its records, and attestations." },
  { name: "Explorer", description: "Public data of the chain. Needs no credentials and never reads the journal." },
  { name: "Operation", description: "Health, metrics, alerts and this document." },
];

/** The calls of the record store API. */
export const CALLS = [...SESSION_CALLS, ...RECORD_CALLS] as const;

/** All routes of the server. */
export const ROUTES: readonly Route[] = [
  recordStoreRoute(...CALLS),
  ...PROOF_ROUTES,
  ...RECOVERY_ROUTES,
  ...EXPLORER_ROUTES,
  attest,
  keys,
  ...OPERATIONS_ROUTES,
  openApi,
];

/** Responses that a test recorded. */
export const EXAMPLES: Examples = examples;
