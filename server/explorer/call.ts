import type { Address, ContractName } from "../chain/transaction.ts";
import type { Row, RowFunction } from "../records/index.ts";

/** A value of a call or an event, as the contract's ABI names it. */
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
  /** Name and types, as the selector is made of them. */
  readonly signature: string;
  readonly arguments: readonly DecodedArgument[];
}

/** An entry of a receipt's log. */
export interface DecodedLog {
  /** Its place in the block's log. */
  readonly index: number;
  readonly address: Address;
  readonly topics: readonly string[];
  readonly data: string;
  /** What it says, when one of the contracts wrote it. */
  readonly event:
    | { readonly contract: ContractName; readonly name: string; readonly arguments: readonly DecodedArgument[] }
    | undefined;
}

/** What a transaction is about, as its call says; whether it had its effect, its receipt says. */
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
  /** Nothing is sent to nobody in particular: it uses up a nonce. */
  | { readonly kind: "empty" }
  | { readonly kind: "other" };

export type ActionKind = Action["kind"];

/** A row as its transaction writes it. */
export interface WrittenRow {
  readonly function: RowFunction;
  readonly table: string;
  readonly rowId: string;
  readonly compressed: boolean;
  /** As it stands in the call. */
  readonly signature: string;
  /** Whose signature it is, recovered here; `undefined` when it is nobody's. */
  readonly signer: Address | undefined;
  /** What the seven segments say, or why they cannot be read. */
  readonly content: { readonly row: Row } | { readonly fault: string };
}
