import { getBytes, hexlify } from "ethers";
import { isWhole, type VerifiedHeader } from "../chain/evidence/verified-block.ts";
import type { EventLog, LogEntry } from "./record-index.ts";
import type { Address } from "../chain/transaction.ts";
import type { StoredRowData } from "./compression.ts";
import type { RecordContent } from "./record.ts";
import { bytesOfHex, equalBytes } from "../kit/bytes.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import type { RowText } from "./row-text.ts";
import { rowDigest } from "./row-signature.ts";
import { SealbookError } from "../errors.ts";
import { EventTableClient, type LoggedRow } from "../chain/contracts/event-table-client.ts";
import { SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import { readBlock } from "../chain/node/node-block.ts";
import { fetchLogs, type NodeLog } from "../chain/node/log.ts";
import type { Rpc } from "../chain/rpc/rpc.ts";

const EVENTS: readonly string[] = [EventTableClient.ROW_TOPIC, ...SessionRegistryClient.ACCOUNT_TOPICS];
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** What is read of a log. */
type ContractLog = Pick<NodeLog, "topics" | "data" | "blockNumber" | "transactionHash">;

/** Decodes the segments of a row; throws SealbookError `malformed` for a row that is no record. */
export type DecodeRow = (stored: StoredRowData) => Promise<RowText>;

/** The contracts whose events are read. */
export interface EventSources {
  /** Address of the event table. */
  readonly table: Address;
  /** Name of the server's table in it; rows of others are skipped. */
  readonly tableName: string;
  /** Address of the session registry. */
  readonly registry: Address;
  /** A block before which the contracts have no event. */
  readonly firstBlock: number;
}

/**
 * Reads the events of the event table and the session registry.
 * @param rowText Decodes a row
 * @param onUnreadable Receives rows on chain that are not valid records
 */
export function eventLog(
  rpc: Rpc,
  { table, tableName, registry, firstBlock }: EventSources,
  rowText: DecodeRow,
  onUnreadable: (rowId: bigint, reason: string) => void,
): EventLog {
  const rowEntry = async (log: ContractLog): Promise<LogEntry | undefined> => {
    const written = EventTableClient.rowOf(log);
    if (written?.table !== tableName) return undefined;
    const { rowId, rowdata, signature } = written;
    const write = {
      rowId,
      digest: rowDigest(rowdata, signature),
      transactionHash: getBytes(log.transactionHash),
      blockNumber: log.blockNumber,
    };
    try {
      return { kind: "row", write, row: recordOf(written, await rowText(written)) };
    } catch (error) {
      if (!(error instanceof SealbookError && error.code === "malformed")) throw error;
      onUnreadable(rowId, error.message);
      return { kind: "row", write, row: undefined };
    }
  };

  /** @param timeOf Returns the time of the log's block in Unix seconds */
  const entryOf = async (log: ContractLog, timeOf: () => Promise<number>): Promise<LogEntry | undefined> => {
    if (log.topics[0] === EventTableClient.ROW_TOPIC) return rowEntry(log);
    const event = SessionRegistryClient.accountEventOf(log);
    if (event === undefined) return undefined;
    const { account: address } = event;
    if (event.kind === "enrolled") return { kind: "account", address, change: { enrolled: true, scope: event.scope } };
    return { kind: "account", address, change: { enrolled: false, revokedAt: (await timeOf()) * 1000 } };
  };

  const entriesOf = async (
    logs: Iterable<ContractLog>,
    timeOf: (log: ContractLog) => Promise<number>,
  ): Promise<LogEntry[]> => {
    const entries: LogEntry[] = [];
    for (const log of logs) {
      // Others take their turn between two rows.
      await yieldToEventLoop();
      const entry = await entryOf(log, () => timeOf(log));
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  };

  const contracts = [table, registry];
  return {
    firstBlock,
    blockHash: async (blockNumber) => (await readBlock(rpc, blockNumber, NO_NAMES))?.hash,
    async entries(fromBlock, toBlock) {
      const logs = await fetchLogs(rpc, { address: contracts, topics: [EVENTS] }, fromBlock, toBlock);
      return entriesOf(logs, async ({ blockNumber }) => (await readBlock(rpc, blockNumber, NO_NAMES))?.time ?? 0);
    },
    async entriesIn(blocks) {
      const times = new Map(blocks.map(({ reference: { number, time } }) => [number, time]));
      return entriesOf(logsIn(blocks, contracts), async ({ blockNumber }) => times.get(blockNumber) ?? 0);
    },
  };
}

/** Returns the logs of contracts in verified blocks that can be events of them. */
function* logsIn(blocks: readonly VerifiedHeader[], contracts: readonly Address[]): Generator<ContractLog> {
  const addresses = contracts.map(bytesOfHex);
  for (const { reference, transactions } of blocks.filter(isWhole))
    for (const { hash, logs } of transactions)
      for (const { address, topics, data } of logs) {
        if (!addresses.some((each) => equalBytes(each, address))) continue;
        const log = { topics: topics.map(hexlify), data: hexlify(data) };
        if (EVENTS.includes(log.topics[0] ?? ""))
          yield { ...log, blockNumber: reference.number, transactionHash: hash };
      }
}

/**
 * Returns the content of a row.
 * @throws SealbookError `malformed` when it is not a record, or not that of this row id and signer
 */
function recordOf({ rowId, signer }: LoggedRow, row: RowText): RecordContent {
  if (row.rowId !== rowId.toString()) {
    throw new SealbookError("malformed", `the row data name row id ${row.rowId}`);
  }
  if (row.sender.toLowerCase() !== signer.toLowerCase()) {
    throw new SealbookError("malformed", `the row data name sender ${row.sender}, but ${signer} signed them`);
  }
  return {
    sender: signer,
    code: row.code,
    topic: row.topic,
    createdAt: row.createdAt,
    payload: row.payloadBase64,
  };
}
