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
  readonly #addresses: ContractAddresses;

  constructor(addresses: ContractAddresses) {
    this.#addresses = addresses;
    this.#byAddress = new Map(CONTRACT_NAMES.map((name) => [addresses[name].toLowerCase(), name]));
  }

  /** Returns the contract at an address. */
  contractAt(address: Address | undefined): ContractName | undefined {
    return this.#byAddress.get(address?.toLowerCase() ?? "");
  }

  /** Returns the contract that call data are for, by their selector; those that all contracts have are of none. */
  calledBy(input: string): Address | undefined {
    const [name, ...others] = CONTRACT_NAMES.filter((each) => functionOf(each, input) !== undefined);
    return name === undefined || others.length > 0 ? undefined : this.#addresses[name];
  }

  /** Returns what a transaction calls, by its selector; its arguments may still be invalid. */
  outlineOf({ to, input }: Pick<NodeTransaction, "to" | "input">): CallOutline {
    if (to === undefined) return { kind: "deployment", function: undefined };
    const contract = this.contractAt(to);
    if (contract === undefined) return { kind: input === "0x" ? "empty" : "other", function: undefined };
    const name = functionOf(contract, input);
    if (name === undefined) return { kind: "other", function: undefined };
    return { kind: ACTIONS.get(name) ?? "administration", function: name };
  }
}

/** Returns the name of the function of a contract that call data have the selector of. */
function functionOf(contract: ContractName, input: string): string | undefined {
  const selector = input.slice(0, SELECTOR_LENGTH).toLowerCase();
  let name: string | undefined;
  INTERFACES[contract].forEachFunction((fragment) => {
    if (fragment.selector === selector) name = fragment.name;
  });
  return name;
}
