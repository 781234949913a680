import type { ParamType, Result, TransactionDescription } from "ethers";
import type { Action, DecodedArgument, DecodedLog, DecodedTransaction } from "../call.ts";
import { SealbookError } from "../../errors.ts";
import { bytesOfHex } from "../../kit/hex.ts";
import { assertReturnable, decodeCallData, recoverSigner } from "../../records/index.ts";
import { INTERFACES } from "../../chain/contracts/interfaces.ts";
import type { NodeLog } from "../../chain/node/log.ts";
import type { NodeTransaction } from "../../chain/node/node-block.ts";
import type { ContractNames } from "./contract-names.ts";

const OTHER: DecodedTransaction = { action: { kind: "other" }, call: undefined };

/**
 * Decodes calls and events of the contracts. The cost grows with their size: 128 KiB take 100 ms, so that a server does
 * this in a thread.
 */
export class CallDecoder {
  readonly #names: ContractNames;

  constructor(names: ContractNames) {
    this.#names = names;
  }

  transactionOf({ to, input }: Pick<NodeTransaction, "to" | "input">): DecodedTransaction {
    const contract = this.#names.contractAt(to);
    if (contract === undefined) {
      const kind = to === undefined ? "deployment" : input === "0x" ? "empty" : "other";
      return { action: { kind }, call: undefined };
    }
    const decoded = readable(() => {
      const parsed = INTERFACES[contract].parseTransaction({ data: input });
      if (parsed === null) return undefined;
      const { name, signature, fragment, args } = parsed;
      return {
        action: actionOf(parsed, input),
        call: { contract, function: name, signature, arguments: argumentsOf(fragment.inputs, args) },
      };
    });
    return decoded ?? OTHER;
  }

  logOf({ address, topics, data, logIndex }: NodeLog): DecodedLog {
    const contract = this.#names.contractAt(address);
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

function actionOf({ name, args }: TransactionDescription, input: string): Action {
  const text = (argument: string): string => String(args.getValue(argument));
  switch (name) {
    case "anchor":
      return { kind: "anchor", hash: text("hash"), size: 0 };
    case "anchorBatch":
      return { kind: "anchor", hash: text("root"), size: Number(args.getValue("size")) };
    case "set":
    case "insert": {
      const rowdata = bytesOfHex(text("rowdata"));
      return {
        kind: "record",
        function: name,
        table: text("tabname"),
        rowId: text("rowid"),
        compressed: Boolean(args.getValue("comp")),
        signature: text("signature"),
        signer: recoverSigner(rowdata, text("signature")),
        content: contentOf(input),
        rowdata,
      };
    }
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
    const { row } = decodeCallData(input);
    assertReturnable(row);
    return { row };
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
