import type { ParamType, Result, TransactionDescription } from "ethers";
import type { Action, DecodedArgument, DecodedLog, ExploredTransaction } from "../responses.ts";
import { SealbookError } from "../../errors.ts";
import { bytesOfHex, prefixedHex } from "../../kit/bytes.ts";
import {
  assertReturnable,
  checkRow,
  decodeCallData,
  signerAt,
  type TableContract,
  toChecks,
  writtenPayload,
} from "../../records/index.ts";
import { INTERFACES } from "../../chain/contracts/interfaces.ts";
import { accountOf, sessionIdOf } from "../../chain/contracts/session-registry-client.ts";
import type { NodeLog } from "../../chain/node/log.ts";
import type { NodeTransaction } from "../../chain/node/node-block.ts";
import type { ContractNames } from "./contract-names.ts";

type RecordAction = Extract<Action, { kind: "record" }>;
type SessionAction = Extract<Action, { kind: "session" }>;

/** The action of a transaction by its call alone; the receipt and the contracts say whether it had an effect. */
export type CalledAction =
  | Omit<Extract<Action, { kind: "anchor" }>, "first">
  | (Omit<RecordAction, "on_chain" | "record"> & { readonly rowdata: Uint8Array })
  | Exclude<Action, { kind: "anchor" | "record" }>;

/** A transaction decoded with the ABIs of the contracts. */
export interface DecodedTransaction {
  readonly action: CalledAction;
  /** `undefined` for a transaction that is no call of one of the contracts. */
  readonly call: ExploredTransaction["call"];
}

const OTHER: DecodedTransaction = { action: { kind: "other" }, call: undefined };

/**
 * Decodes calls and events of the contracts. The cost grows with their size: 128 KiB take 100 ms, so that a server does
 * this in a thread.
 */
export class CallDecoder {
  readonly #names: ContractNames;
  readonly #chainId: number;

  constructor(names: ContractNames, chainId: number) {
    this.#names = names;
    this.#chainId = chainId;
  }

  transactionOf({ to, input }: Pick<NodeTransaction, "to" | "input">): DecodedTransaction {
    const contract = this.#names.contractAt(to);
    if (contract === undefined || to === undefined) {
      const kind = to === undefined ? "deployment" : input === "0x" ? "empty" : "other";
      return { action: { kind }, call: undefined };
    }
    const decoded = readable(() => {
      const parsed = INTERFACES[contract].parseTransaction({ data: input });
      if (parsed === null) return undefined;
      const { name, signature, fragment, args } = parsed;
      return {
        action: actionOf(parsed, input, { chainId: this.#chainId, address: to }),
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

function actionOf({ name, args }: TransactionDescription, input: string, contract: TableContract): CalledAction {
  const text = (argument: string): string => String(args.getValue(argument));
  switch (name) {
    case "anchor":
      return { kind: "anchor", hash: text("hash"), size: 0 };
    case "anchorBatch":
      return { kind: "anchor", hash: text("root"), size: Number(args.getValue("size")) };
    case "set":
    case "insert": {
      const rowdata = bytesOfHex(text("rowdata"));
      const comp = Boolean(args.getValue("comp"));
      const row = { tabname: text("tabname"), rowid: BigInt(text("rowid")), rowdata, comp };
      return {
        kind: "record",
        table: row.tabname,
        row_id: text("rowid"),
        overwrites: name === "set",
        compressed: comp,
        signature: text("signature"),
        signer: signerAt(row, text("signature"), contract) ?? null,
        ...contentOf(input, { ...row, signature: text("signature") }, contract),
        rowdata,
      };
    }
    case "open":
      return sessionAction(name, sessionIdOf(text("account"), bytesOfHex(text("tokenHash"))), text("tokenHash"));
    case "validate":
    case "extend":
      return {
        ...sessionAction(name, bytesOfHex(text("session")), text("tokenHash")),
        new_token_hash: text("newTokenHash"),
      };
    case "close":
      return sessionAction(name, bytesOfHex(text("session")), text("tokenHash"));
    default:
      return { kind: "administration" };
  }
}

function sessionAction(step: SessionAction["step"], id: Uint8Array, tokenHash: string): SessionAction {
  const account = accountOf(id);
  return { kind: "session", step, session: prefixedHex(id), account, token_hash: tokenHash };
}

/** Returns the seven segments of a row, with their checks, or why they cannot be read. */
function contentOf(
  input: string,
  args: Parameters<typeof checkRow>[0]["arguments"],
  contract: TableContract,
): Pick<RecordAction, "row" | "checks" | "fault"> {
  try {
    const { row } = decodeCallData(input);
    assertReturnable({ ...row, payload: writtenPayload(row.payloadBase64) });
    const { rowId, sender, code, createdAt, payload, payloadBase64, topic, format } = row;
    return {
      checks: toChecks(checkRow({ row, arguments: args }, { contracts: [contract] })),
      row: {
        row_id: rowId,
        sender,
        code,
        created_at: createdAt,
        payload,
        payload_base64: payloadBase64,
        topic,
        format,
      },
    };
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
