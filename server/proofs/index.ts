export type { AnchorTrees } from "./anchor-trees.ts";
export type { BundleService } from "./bundle.ts";
export type { ProofEvents } from "./events.ts";
export type { ConfirmedProof, Proof, ProofMetadata, StoredProof } from "./proof.ts";
export { assertUndamaged, type CheckedProof, ProofCheck, type ProofCheckDeps } from "./check.ts";
export { proofPages, readProofs, readProofsWith, withAnchors } from "./proof-rows.ts";
export type { ProofJournal } from "./proof-store.ts";
