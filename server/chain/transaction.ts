import type { BlockReference } from "./block.ts";

/** A 20-byte address as `0x` and 40 hex digits with EIP-55 checksum. */
export type Address = string;

/** Which contract a transaction calls. */
export type ContractName = "SessionRegistry" | "EventTable" | "ProofAnchor";

/** Where each contract stands. */
export type ContractAddresses = Readonly<Record<ContractName, Address>>;

/** What a transaction is for. */
export type TransactionPurpose =
  "session_open" | "session_validate" | "session_extend" | "session_close" | "record" | "anchor" | "nonce_filler";

/** A call the relayer has to make; on disk before it is signed. */
export interface ContractCall {
  readonly purpose: TransactionPurpose;
  readonly contract: ContractName;
  /** ABI-encoded call data. */
  readonly data: Uint8Array;
}

/** How a transaction ended, or that it has not yet. */
export type TransactionOutcome =
  | { readonly state: "confirmed"; readonly hash: Uint8Array; readonly block: BlockReference }
  | { readonly state: "reverted"; readonly reason: string; readonly block: BlockReference | undefined }
  | { readonly state: "refused"; readonly reason: string }
  | { readonly state: "cancelled" }
  | { readonly state: "pending"; readonly sent: boolean };

/** An intent that waits for its signature. */
export interface QueuedTransaction {
  readonly id: number;
  readonly purpose: TransactionPurpose;
  readonly to: Address;
  readonly data: Uint8Array;
}

/** A signed transaction on its way. */
export interface SignedTransaction {
  readonly id: number;
  readonly nonce: number;
  readonly raw: Uint8Array;
  readonly hash: Uint8Array;
}

/** An empty transaction that uses up a nonce. */
export type Filler = Omit<SignedTransaction, "id"> & { readonly sender: Address };

/** How a transaction ended; `block` is set when it was mined. */
export interface FinalOutcome {
  readonly id: number;
  readonly state: "confirmed" | "reverted" | "refused";
  readonly block?: BlockReference;
  readonly reason?: string;
}
