import { getBytes } from "ethers";
import type { EventLog, LogEntry } from "./record-index.ts";
import type { ContractAddresses } from "../chain/transaction.ts";
import { unpackRowData } from "./compression.ts";
import { decodeRowData } from "./row-data.ts";
import { SealbookError } from "../errors.ts";
import { bzip2 } from "./bzip2.ts";
import { EventTableClient } from "../chain/contracts/event-table-client.ts";
import { SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import { readBlock } from "../chain/node/node-block.ts";
import { fetchLogs, type NodeLog } from "../chain/node/log.ts";
import type { Rpc } from "../chain/rpc/rpc.ts";

const TOPICS = [[EventTableClient.ROW_TOPIC, ...SessionRegistryClient.ACCOUNT_TOPICS]];
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
  const rowEntry = (log: NodeLog): LogEntry | undefined => {
    const written = EventTableClient.rowOf(log, table);
    if (written === undefined) return undefined;
    const { rowId, signer, rowdata, comp } = written;
    try {
      const row = decodeRowData(unpackRowData({ rowdata, comp }, bzip2));
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
          transactionHash: getBytes(log.transactionHash),
          blockNumber: log.blockNumber,
        },
      };
    } catch (error) {
      if (!(error instanceof SealbookError)) throw error;
      onUnreadable(rowId, error.message);
      return undefined;
    }
  };

  const entryOf = async (log: NodeLog): Promise<LogEntry | undefined> => {
    if (log.topics[0] === EventTableClient.ROW_TOPIC) return rowEntry(log);
    const event = SessionRegistryClient.accountEventOf(log);
    if (event === undefined) return undefined;
    const { account: address } = event;
    if (event.kind === "enrolled") return { kind: "account", address, change: { enrolled: true, scope: event.scope } };
    const block = await readBlock(rpc, log.blockNumber, NO_NAMES);
    return { kind: "account", address, change: { enrolled: false, revokedAt: (block?.time ?? 0) * 1000 } };
  };

  return {
    firstBlock,
    blockHash: async (blockNumber) => (await readBlock(rpc, blockNumber, NO_NAMES))?.hash,
    async entries(fromBlock, toBlock) {
      const filter = { address: [addresses.EventTable, addresses.SessionRegistry], topics: TOPICS };
      const entries: LogEntry[] = [];
      for (const log of await fetchLogs(rpc, filter, fromBlock, toBlock)) {
        const entry = await entryOf(log);
        if (entry !== undefined) entries.push(entry);
      }
      return entries;
    },
  };
}
