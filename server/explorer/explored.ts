import type { RowVerdict } from "../records/index.ts";
import type { AnchorOnChain } from "../chain/contracts/anchors.ts";
import type { Address, ContractAddresses, ContractName } from "../chain/transaction.ts";
import type { DecodedCall, DecodedLog, Action, ActionKind } from "./call.ts";

/** The data of the chain on the start page. */
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

/** A validator, which proposes and commits blocks; with its configured name, if any. */
export interface Validator {
  readonly address: Address;
  readonly name: string | undefined;
}

export interface ExploredBlock extends BlockSummary {
  readonly parentHash: string;
  readonly gasUsed: number;
  readonly gasLimit: number;
  /** Bytes; `undefined` when the node does not return it. */
  readonly size: number | undefined;
  /** The commit seals of the header; `undefined` on a chain without commit seals. */
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

/** A part of a list, and the cursor of the next one. */
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
  /** Name of the called function. */
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
  /** The state of the anchor or row on the chain now, according to the contract. */
  readonly onChain: OnChainState | undefined;
  /** `undefined` for a transaction that is no call of one of the contracts. */
  readonly call: DecodedCall | undefined;
  /** Why the call was not decoded. */
  readonly undecoded?: string;
  /** `undefined` while the transaction is in no block. */
  readonly mined: Mined | undefined;
}

/**
 * Whether the chain has the data that a transaction wrote: a row can be overwritten, a hash can have been anchored
 * before.
 */
export type OnChainState =
  | {
      readonly kind: "row";
      readonly state: "current" | "overwritten" | "missing";
      /** Of the record index; `undefined` when it does not have the row. */
      readonly verdict: RowVerdict | undefined;
    }
  | { readonly kind: "anchor"; readonly first: AnchorOnChain | undefined };

/** The outcome of a transaction. */
export interface Mined {
  readonly block: BlockSummary;
  readonly index: number;
  /** Blocks from the transaction's own to the newest, both included. */
  readonly confirmations: number;
  readonly succeeded: boolean;
  /** The revert reason, from a repetition of the call on the current state. */
  readonly reason: string | undefined;
  readonly gasUsed: number;
  /** The deployed contract. */
  readonly deployed: { readonly address: Address; readonly contract: ContractName | undefined } | undefined;
  readonly logs: readonly DecodedLog[];
}

/** An anchor, and its position on the chain. */
export interface ExploredAnchor {
  readonly hash: string;
  /** Hashes under the root; 0 for a hash alone. */
  readonly size: number;
  readonly block: BlockSummary;
  readonly transactionHash: string;
}

/** The properties of an address. An address can have several roles. */
export interface ExploredAddress {
  readonly address: Address;
  /** The contract at the address. */
  readonly contract: ContractName | undefined;
  readonly hasCode: boolean;
  /** Contracts that it writes to. */
  readonly relays: readonly ContractName[];
  /** Contracts on which it can grant and revoke roles. */
  readonly administers: readonly ContractName[];
  /** Scope of the account that is enrolled with it. */
  readonly scope: "read" | "full" | undefined;
  /** Its name, if it is a validator with a name. */
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
  /** The contract that emitted the event. */
  readonly contract: Address;
  /** Without long arguments, which the transaction contains. */
  readonly event: DecodedLog["event"];
}
