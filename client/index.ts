/** The client of both HTTP APIs. */
export { Attestation, AUDIENCES, type Audience } from "../server/attestation/responses.ts";
export type {
  Action,
  AddressActivity,
  BlockSummary,
  DecodedArgument,
  DecodedCallData,
  DecodedLog,
  ExploredAddress,
  ExploredAnchor,
  ExploredBlock,
  ExploredChain,
  ExploredTransaction,
  ListedTransaction,
  SearchResult,
} from "../server/explorer/responses.ts";
export type { RowChecks, RowVerdict } from "../server/http/record-store/responses.ts";
export type { Alert, Status } from "../server/operations/responses.ts";
export {
  type AnchoredProofs,
  type BatchPage,
  type BatchResponse,
  ConfirmedProof,
  type FoundProof,
  PendingProof,
  type ProofResponse,
  type Verification,
} from "../server/proofs/responses.ts";
export type { DecodedTransaction, StoreContent } from "../server/records/responses.ts";
export type {
  ComparedDocument,
  RecordedDocument,
  RecoveryVerification,
  UnknownAnchor,
} from "../server/recovery/responses.ts";
export type { AuthContent, CloseContent, SessionContent } from "../server/sessions/responses.ts";
export { ClientError, type ClientErrorCode, isTransient, type Problem } from "./errors.ts";
export { ExplorerClient, type ListOptions } from "./explorer.ts";
export { conforms } from "./http.ts";
export { type InclusionProof, toInclusionProof } from "./inclusion-proof.ts";
export type {
  AttestationRequest,
  AttestationSubject,
  ComparedRow,
  GapPage,
  InventoryPage,
  InventorySearch,
  Moment,
  ProofRequest,
  RestoredDocument,
  SubmitOptions,
} from "./proof-requests.ts";
export { BundleRecord, ProofClient, type ProofClientOptions } from "./proofs.ts";
export { type Login, RecordSession } from "./record-session.ts";
export {
  type AuditedTransaction,
  type FoundRecord,
  type NewRecord,
  RecordClient,
  type RecordClientOptions,
  type RecordPage,
  type RecordSearch,
} from "./records.ts";
