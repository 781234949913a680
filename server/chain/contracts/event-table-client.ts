import { AbiCoder, id, keccak256, ZeroAddress, ZeroHash } from "ethers";
import { bytesOfHex } from "../../kit/hex.ts";
import type { NodeLog } from "../node/log.ts";
import type { Rpc } from "../rpc/rpc.ts";
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

const ABI = INTERFACES.EventTable;

/** The client of the EventTable contract: reads its state and its events. */
export class EventTableClient {
  /** Topic of the event that {@link EventTableClient.rowOf} decodes. */
  static readonly ROW_TOPIC: string = ABI.getEvent("RowWritten").topicHash;

  readonly #rpc: Rpc;
  readonly #address: Address;

  constructor(rpc: Rpc, address: Address) {
    this.#rpc = rpc;
    this.#address = address;
  }

  /**
   * Compares a row with the contract's current row of its number.
   * @param digest The row's, from {@link EventTableClient.digestOf}
   */
  async stateOf(table: string, rowId: string, digest: string): Promise<"current" | "overwritten" | "missing"> {
    const stored = await readContract(this.#rpc, this.#address, ABI.encodeFunctionData("digestOf", [table, rowId]));
    if (stored === ZeroHash) return "missing";
    return stored === digest ? "current" : "overwritten";
  }

  /** Computes the digest that the contract stores of a row. */
  static digestOf({ signer = ZeroAddress, comp, rowdata }: EventTableRow): string {
    const row = AbiCoder.defaultAbiCoder().encode(["address", "bool", "bytes32"], [signer, comp, keccak256(rowdata)]);
    return keccak256(row);
  }

  /** Decodes the event of a row in a table; `undefined` for any other event. */
  static rowOf(
    log: Pick<NodeLog, "topics" | "data">,
    table: string,
  ): (EventTableRow & { readonly rowId: bigint; readonly signer: Address }) | undefined {
    const event = log.topics[1] === id(table) ? ABI.parseLog(log) : null;
    if (event?.name !== "RowWritten") return undefined;
    const { args } = event;
    return {
      rowId: args.getValue("rowid"),
      signer: args.getValue("signer"),
      comp: Boolean(args.getValue("comp")),
      rowdata: bytesOfHex(args.getValue("rowdata")),
    };
  }
}
