import { getBytes, id, type LogDescription } from "ethers";
import { z } from "zod";
import type { EventLog, LogEntry } from "./record-index.ts";
import type { ContractAddresses } from "../chain/transaction.ts";
import { unpackRowData } from "./compression.ts";
import { decodeRowData } from "./row-data.ts";
import { SealbookError } from "../errors.ts";
import { bzip2 } from "./bzip2.ts";
import { INTERFACES } from "../chain/contracts/interfaces.ts";
import { bytesOfHex } from "../kit/hex.ts";
import { readBlock } from "../chain/node/receipts.ts";
import { Quantity } from "../chain/rpc/quantity.ts";
import { type Rpc, toQuantity } from "../chain/rpc/rpc.ts";

const Log = z.object({
  address: z.string(),
  topics: z.array(z.string()),
  data: z.string(),
  blockNumber: Quantity,
  transactionHash: z.string(),
});

const { EventTable, SessionRegistry } = INTERFACES;
const ROW_WRITTEN = EventTable.getEvent("RowWritten").topicHash;
const ENROLLED = SessionRegistry.getEvent("AccountEnrolled").topicHash;
const REVOKED = SessionRegistry.getEvent("AccountRevoked").topicHash;
const SCOPES = { 1: "read", 2: "full" } as const;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/**
 * Reads the events of the event table and the session registry.
 * @param table Name of the table to read
 * @param onUnreadable Receives rows on chain that are not valid records
 */
export function eventLog(
  rpc: Rpc,
  addresses: ContractAddresses,
  firstBlock: number,
  table: string,
  onUnreadable: (rowId: bigint, reason: string) => void,
): EventLog {
  const tableHash = id(table);

  const rowOf = (log: LogDescription, transactionHash: string, blockNumber: number): LogEntry | undefined => {
    const rowId: bigint = log.args.getValue("rowid");
    const signer: string = log.args.getValue("signer");
    try {
      const rowdata = bytesOfHex(log.args.getValue("rowdata"));
      const row = decodeRowData(unpackRowData({ rowdata, comp: Boolean(log.args.getValue("comp")) }, bzip2));
      // The signature covers the row data only, so row id and sender in the row data must match those in the event.
      if (row.rowId !== rowId.toString()) {
        throw new SealbookError("malformed", `the row data name row id ${row.rowId}`);
      }
      if (row.sender.toLowerCase() !== signer.toLowerCase()) {
        throw new SealbookError("malformed", `the row data name sender ${row.sender}, but ${signer} signed them`);
      }
      return {
        kind: "row",
        row: {
          rowId,
          sender: signer,
          code: row.code,
          topic: row.topic,
          createdAt: row.createdAt,
          payload: row.payloadBase64,
          transactionHash: getBytes(transactionHash),
          blockNumber,
        },
      };
    } catch (error) {
      if (!(error instanceof SealbookError)) throw error;
      onUnreadable(rowId, error.message);
      return undefined;
    }
  };

  const entryOf = async (log: z.infer<typeof Log>): Promise<LogEntry | undefined> => {
    const [topic, indexed] = log.topics;
    if (topic === ROW_WRITTEN) {
      const parsed = indexed === tableHash ? EventTable.parseLog(log) : null;
      return parsed === null ? undefined : rowOf(parsed, log.transactionHash, log.blockNumber);
    }
    const parsed = SessionRegistry.parseLog(log);
    if (parsed === null) return undefined;
    const address: string = parsed.args.getValue("account");
    if (topic === REVOKED) {
      const block = await readBlock(rpc, log.blockNumber, NO_NAMES);
      return { kind: "account", address, change: { enrolled: false, revokedAt: (block?.time ?? 0) * 1000 } };
    }
    const scope = Number(parsed.args.getValue("scope"));
    if (scope !== 1 && scope !== 2) return undefined;
    return { kind: "account", address, change: { enrolled: true, scope: SCOPES[scope] } };
  };

  return {
    firstBlock,
    blockHash: async (blockNumber) => (await readBlock(rpc, blockNumber, NO_NAMES))?.hash,
    async entries(fromBlock, toBlock) {
      const logs = await rpc.call("eth_getLogs", [
        {
          address: [addresses.EventTable, addresses.SessionRegistry],
          topics: [[ROW_WRITTEN, ENROLLED, REVOKED]],
          fromBlock: toQuantity(fromBlock),
          toBlock: toQuantity(toBlock),
        },
      ]);
      const entries: LogEntry[] = [];
      for (const log of z.array(Log).parse(logs)) {
        const entry = await entryOf(log);
        if (entry !== undefined) entries.push(entry);
      }
      return entries;
    },
  };
}
