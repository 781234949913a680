import type { ParamType, Result, TransactionDescription } from "ethers";
import type { DecodedArgument, DecodedCall, DecodedLog, Action } from "../call.ts";
import type { Address, ContractAddresses, ContractName } from "../../chain/transaction.ts";
import { SealbookError } from "../../errors.ts";
import { decodeCallData, recoverSigner } from "../../records/index.ts";
import { INTERFACES } from "../../chain/contracts/interfaces.ts";
import { type NodeLog } from "../../chain/node/log.ts";
import { type NodeTransaction } from "../../chain/node/node-block.ts";

const CONTRACTS: readonly ContractName[] = ["SessionRegistry", "EventTable", "ProofAnchor"];

/** Decodes calls and events of the contracts. */
export class CallDecoder {
  readonly #byAddress: ReadonlyMap<string, ContractName>;

  /** @param former Former contracts for anchors */
  constructor(addresses: ContractAddresses, former: readonly Address[] = []) {
    this.#byAddress = new Map([
      ...former.map((address) => [address.toLowerCase(), "ProofAnchor"] as const),
      ...CONTRACTS.map((name) => [addresses[name].toLowerCase(), name] as const),
    ]);
  }

  /** Returns the contract at an address. */
  contractAt(address: Address | undefined): ContractName | undefined {
    return this.#byAddress.get(address?.toLowerCase() ?? "");
  }

  /** Decodes the call of a transaction; `undefined` when it calls no function of the contracts. */
  callOf({ to, input }: Pick<NodeTransaction, "to" | "input">): DecodedCall | undefined {
    const contract = this.contractAt(to);
    if (contract === undefined) return undefined;
    return readable(() => {
      const parsed = INTERFACES[contract].parseTransaction({ data: input });
      if (parsed === null) return undefined;
      const { name, signature, fragment, args } = parsed;
      return { contract, function: name, signature, arguments: argumentsOf(fragment.inputs, args) };
    });
  }

  /** Determines the action of a transaction. */
  actionOf({ to, input }: Pick<NodeTransaction, "to" | "input">): Action {
    if (to === undefined) return { kind: "deployment" };
    const contract = this.contractAt(to);
    if (contract === undefined) return { kind: input === "0x" ? "empty" : "other" };
    const action = readable(() => {
      const parsed = INTERFACES[contract].parseTransaction({ data: input });
      return parsed === null ? undefined : actionOfCall(parsed, input);
    });
    return action ?? { kind: "other" };
  }

  logOf({ address, topics, data, logIndex }: NodeLog): DecodedLog {
    const contract = this.contractAt(address);
    const event =
      contract &&
      readable(() => {
        const parsed = INTERFACES[contract].parseLog({ topics, data });
        return parsed === null
          ? undefined
          : { contract, name: parsed.name, arguments: argumentsOf(parsed.fragment.inputs, parsed.args) };
      });
    return { index: logIndex, address, topics, data, event };
  }
}

function actionOfCall({ name, args }: TransactionDescription, input: string): Action {
  const text = (argument: string): string => String(args.getValue(argument));
  switch (name) {
    case "anchor":
      return { kind: "anchor", hash: text("hash"), size: 0 };
    case "anchorBatch":
      return { kind: "anchor", hash: text("root"), size: Number(args.getValue("size")) };
    case "set":
    case "insert":
      return {
        kind: "record",
        function: name,
        table: text("tabname"),
        rowId: text("rowid"),
        compressed: Boolean(args.getValue("comp")),
        signature: text("signature"),
        signer: recoverSigner(Buffer.from(text("rowdata").slice(2), "hex"), text("signature")),
        content: contentOf(input),
      };
    case "open":
      return {
        kind: "session",
        step: name,
        account: text("account"),
        tokenHash: text("tokenHash"),
        newTokenHash: undefined,
      };
    case "validate":
    case "extend":
      return {
        kind: "session",
        step: name,
        account: undefined,
        tokenHash: text("tokenHash"),
        newTokenHash: text("newTokenHash"),
      };
    case "close":
      return { kind: "session", step: name, account: undefined, tokenHash: text("tokenHash"), newTokenHash: undefined };
    default:
      return { kind: "administration" };
  }
}

function contentOf(input: string): Extract<Action, { kind: "record" }>["content"] {
  try {
    return { row: decodeCallData(input).row };
  } catch (error) {
    if (error instanceof SealbookError) return { fault: error.message };
    throw error;
  }
}

function argumentsOf(parameters: readonly ParamType[], values: Result): DecodedArgument[] {
  return parameters.map(({ name, type }, index) => {
    const value: unknown = values[index];
    return { name, type, value: typeof value === "boolean" ? value : String(value) };
  });
}

/**
 * Decodes foreign data, which may contradict its selector: the library then throws, sometimes only when a value is
 * read.
 */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
