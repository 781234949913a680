import { AbiCoder, Interface, keccak256, type Result, ZeroAddress, ZeroHash } from "ethers";
import { bytesOfHex } from "../../kit/bytes.ts";
import type { NodeLog } from "../node/log.ts";
import { ContradictionError, type Rpc, unavailable } from "../rpc/rpc.ts";
import type { Address } from "../transaction.ts";
import { INTERFACES, readContract } from "./interfaces.ts";

/** A row as the contract writes it. */
export interface EventTableRow {
  /** The account that signed the row data; `undefined` for an invalid signature. */
  readonly signer: Address | undefined;
  /** Whether the row data is compressed. */
  readonly comp: boolean;
  readonly rowdata: Uint8Array;
}

/** A row of the contract's log. */
export interface LoggedRow extends EventTableRow {
  readonly table: string;
  readonly rowId: bigint;
  readonly signer: Address;
  /** As text, in either case of its digits. */
  readonly signature: string;
  /** Digest of the row that it overwrites, `null` for the first write. */
  readonly replaced: string | null;
}

const ROW_WRITTEN = "RowWritten";
const DIGEST = /^0x[0-9a-f]{64}$/;
const ABI: Interface = INTERFACES.EventTable;

/** The client of the EventTable contract: reads its state and its events. */
export class EventTableClient {
  /** Topic of the event that {@link EventTableClient.rowOf} decodes. */
  static readonly ROW_TOPIC: string = topicOf(ABI);

  readonly #rpc: Pick<Rpc, "call">;
  readonly #address: Address;

  constructor(rpc: Pick<Rpc, "call">, address: Address) {
    this.#rpc = rpc;
    this.#address = address;
  }

  /** Compares a row with the contract's current row of its number. */
  async stateOf(table: string, rowId: string, row: EventTableRow): Promise<"current" | "overwritten" | "missing"> {
    const stored = await readContract(this.#rpc, this.#address, ABI.encodeFunctionData("digestOf", [table, rowId]));
    if (!DIGEST.test(stored)) throw unavailable(new ContradictionError("the node returns no digest of a row"));
    if (stored === ZeroHash) return "missing";
    return stored === digestOf(row) ? "current" : "overwritten";
  }

  /** Decodes the event of a row in any table; `undefined` for any other event. */
  static rowOf(log: Pick<NodeLog, "topics" | "data">): LoggedRow | undefined {
    if (log.topics[0] !== EventTableClient.ROW_TOPIC) return undefined;
    // The library takes several times as long to read hex.
    const args: Result = ABI.decodeEventLog(ROW_WRITTEN, bytesOfHex(log.data), log.topics);
    return {
      table: tableNameOf(args),
      rowId: args.getValue("rowid"),
      signer: args.getValue("signer"),
      comp: Boolean(args.getValue("comp")),
      rowdata: bytesOfHex(args.getValue("rowdata")),
      signature: String(args.getValue("signature")),
      replaced: replacedOf(args),
    };
  }
}

function topicOf(abi: Interface): string {
  return abi.getEvent(ROW_WRITTEN)?.topicHash ?? "";
}

function replacedOf(args: Result): string | null {
  const digest = String(args.getValue("replaced"));
  return digest === ZeroHash ? null : digest;
}

/** Returns the name of a table; its hash for a name that is not UTF-8 text, which the library does not decode. */
function tableNameOf(args: Result): string {
  try {
    return String(args.getValue("tabname"));
  } catch {
    return String(args.getValue("tableHash"));
  }
}

/** Computes the digest that the contract stores of a row. */
function digestOf({ signer = ZeroAddress, comp, rowdata }: EventTableRow): string {
  const row = AbiCoder.defaultAbiCoder().encode(["address", "bool", "bytes32"], [signer, comp, keccak256(rowdata)]);
  return keccak256(row);
}
