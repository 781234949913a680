import type { BlockReference } from "./block.ts";

/** A 20-byte address as `0x` and 40 hex digits with EIP-55 checksum. */
export type Address = string;

/** The contracts, in the order of their deployment. */
export const CONTRACT_NAMES = ["SessionRegistry", "EventTable", "ProofAnchor"] as const;

/** Which contract a transaction calls. */
export type ContractName = (typeof CONTRACT_NAMES)[number];

/** The address of each contract. */
export type ContractAddresses = Readonly<Record<ContractName, Address>>;

/** The purpose of a transaction. */
export type TransactionPurpose =
  "session_open" | "session_validate" | "session_extend" | "session_close" | "record" | "anchor" | "nonce_filler";

/** A contract call of the relayer; on disk before it is signed. */
export interface ContractCall {
  readonly purpose: TransactionPurpose;
  readonly contract: ContractName;
  /** ABI-encoded call data. */
  readonly data: Uint8Array;
}

/** The outcome of a transaction, or its state before it has one. */
export type TransactionOutcome =
  | { readonly state: "confirmed"; readonly hash: Uint8Array; readonly block: BlockReference }
  | { readonly state: "reverted"; readonly reason: string; readonly block: BlockReference | undefined }
  | { readonly state: "refused"; readonly reason: string }
  | { readonly state: "cancelled" }
  | { readonly state: "pending"; readonly sent: boolean };

/** An intent without a signature yet. */
export interface QueuedTransaction {
  readonly id: number;
  readonly purpose: TransactionPurpose;
  readonly to: Address;
  readonly data: Uint8Array;
  /** Whether a relayer has written it: nothing else is signed. */
  readonly isOwn: boolean;
}

/** A signed transaction in flight; one of its versions when it was replaced by one with a higher fee. */
export interface SignedTransaction {
  readonly id: number;
  readonly nonce: number;
  readonly raw: Uint8Array;
  readonly hash: Uint8Array;
}

/** An empty transaction that uses up a nonce. */
export type Filler = Omit<SignedTransaction, "id"> & { readonly sender: Address };
