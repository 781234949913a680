import type { AnchorOnChain } from "../chain/contracts/anchor.ts";
import type { Address, ContractAddresses, ContractName } from "../chain/transaction.ts";
import type { DecodedCall, DecodedLog, Action, ActionKind } from "./call.ts";

/** The chain, seen from the start page. */
export interface ExploredChain {
  readonly chainId: number;
  readonly contracts: ContractAddresses;
  /** The block in which the first contract was deployed. */
  readonly firstBlock: number;
  readonly head: BlockSummary;
}

/** A block in a list. Hashes are `0x` hex, times Unix seconds, everywhere here. */
export interface BlockSummary {
  readonly number: number;
  readonly hash: string;
  readonly time: number;
  readonly proposer: Validator;
  readonly transactions: number;
}

/** Who proposes and seals blocks; the name is the one that is configured, if any. */
export interface Validator {
  readonly address: Address;
  readonly name: string | undefined;
}

export interface ExploredBlock extends BlockSummary {
  readonly parentHash: string;
  readonly gasUsed: number;
  readonly gasLimit: number;
  /** Bytes; `undefined` when the node does not say. */
  readonly size: number | undefined;
  /** How it was sealed, as its header says; `undefined` on a chain whose blocks nobody seals. */
  readonly commitSeals:
    | {
        readonly protocol: "ibft2" | "qbft";
        readonly validators: readonly Validator[];
        readonly signers: readonly Validator[];
        readonly quorum: number;
      }
    | undefined;
  readonly page: Page<TransactionSummary>;
}

/** Some of a list, and where it goes on. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** `undefined` at the end of the list. */
  readonly next: string | undefined;
}

/** A transaction in its block's list. */
export interface TransactionSummary {
  readonly hash: string;
  readonly index: number;
  readonly from: Address;
  readonly to: Address | undefined;
  readonly kind: ActionKind;
  /** Name of the function that it calls. */
  readonly function: string | undefined;
  readonly succeeded: boolean;
}

export interface ExploredTransaction {
  readonly hash: string;
  readonly from: Address;
  /** `undefined` for the deployment of a contract. */
  readonly to: Address | undefined;
  readonly nonce: number;
  /** Wei. */
  readonly value: bigint;
  readonly gasPrice: bigint;
  readonly gasLimit: number;
  /** Call data. */
  readonly input: string;
  readonly action: Action;
  /** What the chain has of it now: the contract's own answer. */
  readonly held: Held | undefined;
  /** `undefined` for what is no call of one of the contracts. */
  readonly call: DecodedCall | undefined;
  /** `undefined` while no block holds it. */
  readonly mined: Mined | undefined;
}

/** Whether the chain holds what a transaction brought: a row can be overwritten, a hash can have been there before. */
export type Held =
  | { readonly kind: "row"; readonly state: "current" | "overwritten" | "missing" }
  | { readonly kind: "anchor"; readonly first: AnchorOnChain | undefined };

/** How a transaction ended. */
export interface Mined {
  readonly block: BlockSummary;
  readonly index: number;
  /** Blocks from its own to the newest, both counted. */
  readonly confirmations: number;
  readonly succeeded: boolean;
  /** Why it was reverted, as the contract says of the same call now. */
  readonly reason: string | undefined;
  readonly gasUsed: number;
  /** The contract that it deployed. */
  readonly deployed: { readonly address: Address; readonly contract: ContractName | undefined } | undefined;
  readonly logs: readonly DecodedLog[];
}

/** An anchor, and where it was made. */
export interface ExploredAnchor {
  readonly hash: string;
  /** Hashes under the root; 0 for a hash alone. */
  readonly size: number;
  readonly block: BlockSummary;
  readonly transactionHash: string;
}

/** What is known of an address. It can be several things. */
export interface ExploredAddress {
  readonly address: Address;
  /** Which of the contracts stands there. */
  readonly contract: ContractName | undefined;
  readonly hasCode: boolean;
  /** Contracts that it writes to. */
  readonly relays: readonly ContractName[];
  /** Contracts whose roles it gives and takes. */
  readonly administers: readonly ContractName[];
  /** Scope of the account that is enrolled with it. */
  readonly scope: "read" | "full" | undefined;
  /** Its name, when it is a validator that has one. */
  readonly validator: string | undefined;
  /** Wei. */
  readonly balance: bigint;
  /** Transactions that it has sent. */
  readonly sent: number;
}

/** An event of the contracts that concerns an address. */
export interface Activity {
  readonly transactionHash: string;
  readonly block: BlockSummary;
  /** The contract that says so. */
  readonly contract: Address;
  /** Without what would be long: the transaction has all of it. */
  readonly event: DecodedLog["event"];
}
