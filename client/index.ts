/** The client of both HTTP APIs. */
export { Attestation, AUDIENCES, type Audience } from "./attestation-schemas.ts";
export { ClientError, type ClientErrorCode, isTransient, type Problem } from "./errors.ts";
export { ExplorerClient, type ListOptions } from "./explorer.ts";
export type {
  AddressActivity,
  BlockSummary,
  ExploredAddress,
  ExploredAnchor,
  ExploredBlock,
  ExploredChain,
  ExploredTransaction,
  Finding,
} from "./explorer-schemas.ts";
export * from "./proof-schemas.ts";
export {
  type AttestationQuestion,
  type AttestationSubject,
  type ComparedRow,
  type Moment,
  ProofClient,
  type ProofClientOptions,
  type ProofRequest,
  type RestoredDocument,
  type SubmitOptions,
} from "./proofs.ts";
export { type Login, RecordSession } from "./record-session.ts";
export {
  type NewRecord,
  RecordClient,
  type RecordClientOptions,
  type RecordPage,
  type RecordSearch,
} from "./records.ts";
export type { ComparedDocument, InventoryDocument, RecoveryVerification, UnknownAnchor } from "./recovery-schemas.ts";
export type {
  Authenticated,
  Closed,
  DecodedTransaction,
  FoundRecord,
  SessionState,
  StoredRecord,
} from "./record-schemas.ts";
