import type { Action } from "../responses.ts";
import { type Address, CONTRACT_NAMES, type ContractAddresses, type ContractName } from "../../chain/transaction.ts";
import { INTERFACES } from "../../chain/contracts/interfaces.ts";
import type { NodeTransaction } from "../../chain/node/node-block.ts";

/** Names of called functions by their selectors. */
export interface CallOutline {
  readonly kind: Action["kind"];
  /** Name of the called function of the contracts. */
  readonly function: string | undefined;
}

/** Length of `0x` and a selector in hex. */
const SELECTOR_LENGTH = 10;

/** The actions of the contracts' functions; the others administer the contracts. */
const ACTIONS: ReadonlyMap<string, Action["kind"]> = new Map([
  ["anchor", "anchor"],
  ["anchorBatch", "anchor"],
  ["set", "record"],
  ["insert", "record"],
  ["open", "session"],
  ["validate", "session"],
  ["extend", "session"],
  ["close", "session"],
]);

/** Names the contracts and their functions. The cost does not depend on the size of a call. */
export class ContractNames {
  readonly #byAddress: ReadonlyMap<string, ContractName>;

  constructor(addresses: ContractAddresses) {
    this.#byAddress = new Map(CONTRACT_NAMES.map((name) => [addresses[name].toLowerCase(), name]));
  }

  /** Returns the contract at an address. */
  contractAt(address: Address | undefined): ContractName | undefined {
    return this.#byAddress.get(address?.toLowerCase() ?? "");
  }

  /** Returns what a transaction calls, by its selector; its arguments may still be invalid. */
  outlineOf({ to, input }: Pick<NodeTransaction, "to" | "input">): CallOutline {
    if (to === undefined) return { kind: "deployment", function: undefined };
    const contract = this.contractAt(to);
    if (contract === undefined) return { kind: input === "0x" ? "empty" : "other", function: undefined };
    const selector = input.slice(0, SELECTOR_LENGTH).toLowerCase();
    let name: string | undefined;
    INTERFACES[contract].forEachFunction((fragment) => {
      if (fragment.selector === selector) name = fragment.name;
    });
    if (name === undefined) return { kind: "other", function: undefined };
    return { kind: ACTIONS.get(name) ?? "administration", function: name };
  }
}
