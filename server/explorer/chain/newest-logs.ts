import { malformed } from "../../errors.ts";
import { NodeError, type Rpc } from "../../chain/rpc/rpc.ts";
import { fetchLogs, type LogFilter, type NodeLog } from "../../chain/node/log.ts";

/** Blocks of the first question: what a busy chain logs in them has to fit into an answer. */
const FIRST_SPAN = 16;
/** A quiet chain is looked through in strides. */
const GROWTH = 8;
/** Questions for one page: then the caller is told how far the search went, and asks again. */
const MAX_QUERIES = 8;

/** What was found, and where to go on. */
export interface FoundLogs {
  readonly logs: readonly NodeLog[];
  readonly next: string | undefined;
}

export interface LogSearch {
  /** A log is found that passes any of them. */
  readonly filters: readonly LogFilter[];
  readonly firstBlock: number;
  readonly head: number;
  readonly limit: number;
  /** Where the page before ended. */
  readonly cursor: string | undefined;
  /** Leaves out what the filters cannot. */
  readonly accept?: (logs: readonly NodeLog[]) => Promise<readonly NodeLog[]>;
}

/**
 * Searches the chain's log from its end, newest first. Nodes keep no index by time, so that it is gone through in
 * stretches of blocks, longer ones as nothing is found; a stretch that the node refuses is shortened.
 */
export async function newestLogs(rpc: Rpc, search: LogSearch): Promise<FoundLogs> {
  const { firstBlock, limit } = search;
  const start = positionOf(search);
  const found: NodeLog[] = [];
  let last = start.block;
  let span = FIRST_SPAN;
  for (let queries = 0; queries < MAX_QUERIES && last >= firstBlock; queries += 1) {
    const first = Math.max(firstBlock, last - span + 1);
    try {
      const logs = (await logsBetween(rpc, search.filters, first, last)).filter((log) => isBefore(log, start));
      found.push(...(search.accept === undefined ? logs : await search.accept(logs)));
      if (logs.length < limit) span *= GROWTH;
    } catch (error) {
      if (!(error instanceof NodeError) || first === last) throw error;
      span = Math.max(1, Math.floor((last - first + 1) / GROWTH));
      continue;
    }
    if (found.length > limit) {
      const logs = found.slice(0, limit);
      const end = logs.at(-1);
      return { logs, next: end && cursorAt(end.blockNumber, end.logIndex) };
    }
    last = first - 1;
  }
  return { logs: found, next: last >= firstBlock ? cursorAt(last + 1, 0) : undefined };
}

/** In the block's log everything before an entry is older than it. */
interface Position {
  readonly block: number;
  readonly index: number;
}

function positionOf({ cursor, head }: LogSearch): Position {
  if (cursor === undefined) return { block: head, index: Infinity };
  const [, block, index] = /^(\d{1,15})-(\d{1,9})$/.exec(cursor) ?? [];
  if (block === undefined || index === undefined) throw malformed("cursor", "is not a cursor that an answer gave");
  return { block: Math.min(head, Number(block)), index: Number(index) };
}

function cursorAt(block: number, index: number): string {
  return `${block}-${index}`;
}

function isBefore({ blockNumber, logIndex }: NodeLog, { block, index }: Position): boolean {
  return blockNumber < block || (blockNumber === block && logIndex < index);
}

async function logsBetween(rpc: Rpc, filters: readonly LogFilter[], first: number, last: number): Promise<NodeLog[]> {
  const found = await Promise.all(filters.map((filter) => fetchLogs(rpc, filter, first, last)));
  const logs = found.flat().toSorted((a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex);
  // One log can pass several filters.
  return logs.filter(
    (log, index) => log.blockNumber !== logs[index - 1]?.blockNumber || log.logIndex !== logs[index - 1]?.logIndex,
  );
}
