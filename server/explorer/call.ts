import type { Address, ContractName } from "../chain/transaction.ts";
import type { Row, RowFunction } from "../records/index.ts";

/** A value of a call or an event, with its name and type from the contract's ABI. */
export interface DecodedArgument {
  readonly name: string;
  /** The ABI type. */
  readonly type: string;
  /** Integers in decimal, bytes as `0x` hex, addresses with checksum. */
  readonly value: string | boolean;
}

/** A call of one of the contracts. */
export interface DecodedCall {
  readonly contract: ContractName;
  readonly function: string;
  /** Name and types, in the form of which the selector is computed. */
  readonly signature: string;
  readonly arguments: readonly DecodedArgument[];
}

/** An entry of a receipt's log. */
export interface DecodedLog {
  /** Its position in the block's log. */
  readonly index: number;
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
  /** The decoded event, if one of the contracts emitted it. */
  readonly event:
    | { readonly contract: ContractName; readonly name: string; readonly arguments: readonly DecodedArgument[] }
    | undefined;
}

/** The action of a transaction, according to its call; the receipt determines whether it had an effect. */
export type Action =
  | {
      readonly kind: "anchor";
      readonly hash: string;
      /** Hashes under the root; 0 for a hash alone. */ readonly size: number;
    }
  | ({ readonly kind: "record" } & WrittenRow)
  | {
      readonly kind: "session";
      readonly step: "open" | "validate" | "extend" | "close";
      readonly account: Address | undefined;
      readonly tokenHash: string;
      readonly newTokenHash: string | undefined;
    }
  | { readonly kind: "administration" }
  | { readonly kind: "deployment" }
  /** A transaction without call data to an address that is not one of the contracts. */
  | { readonly kind: "empty" }
  | { readonly kind: "other" };

export type ActionKind = Action["kind"];

/** What a transaction calls, by the first bytes of its call. */
export interface CallOutline {
  readonly kind: ActionKind;
  /** Name of the called function of the contracts. */
  readonly function: string | undefined;
}

/** A transaction decoded with the ABIs of the contracts. */
export interface DecodedTransaction {
  readonly action: Action;
  /** `undefined` for a transaction that is no call of one of the contracts. */
  readonly call: DecodedCall | undefined;
}

/** A row in the form that its transaction writes. */
export interface WrittenRow {
  readonly function: RowFunction;
  readonly table: string;
  readonly rowId: string;
  readonly compressed: boolean;
  /** As in the call. */
  readonly signature: string;
  /** The signer, recovered here; `undefined` for an invalid signature. */
  readonly signer: Address | undefined;
  /** The content of the seven segments, or why they cannot be read. */
  readonly content: { readonly row: Row } | { readonly fault: string };
  /** The row data as stored. */
  readonly rowdata: Uint8Array;
}
