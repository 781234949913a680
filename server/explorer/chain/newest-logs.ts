import type { Rpc } from "../../chain/rpc/rpc.ts";
import { fetchLogRange, refusesRange, type LogFilter, type NodeLog } from "../../chain/node/log.ts";

/** Blocks of the first query: the logs of a busy chain in this range must fit into a response. */
const FIRST_SPAN = 16;
/** The range grows by this factor on a quiet chain. */
const GROWTH = 8;
/** Maximum queries per page: the caller then receives a cursor, and continues the search. */
const MAX_QUERIES = 8;

/** The position of a log on the chain: a block, and the log's index in it. */
export interface LogPosition {
  readonly block: number;
  readonly index: number;
}

/** The found logs, and the cursor of the next page. */
export interface FoundLogs {
  readonly logs: readonly NodeLog[];
  readonly next: string | undefined;
}

export interface LogSearch {
  /** A log matches if any filter does. */
  readonly filters: readonly LogFilter[];
  readonly firstBlock: number;
  readonly head: number;
  readonly limit: number;
  /** Only older logs are found. */
  readonly cursor: LogPosition | undefined;
  /** Removes logs that the filters cannot exclude. */
  readonly accept?: (logs: readonly NodeLog[]) => Promise<readonly NodeLog[]>;
}

/**
 * Searches the chain's log from its end, newest first. Nodes have no index by time, so the search runs over ranges of
 * blocks, which grow while they contain few logs; a range that the node refuses is shortened.
 */
export async function newestLogs(rpc: Rpc, search: LogSearch): Promise<FoundLogs> {
  const { firstBlock, limit } = search;
  const { block, index } = search.cursor ?? { block: search.head, index: Infinity };
  const start = { block: Math.min(search.head, block), index };
  const found: NodeLog[] = [];
  let last = start.block;
  let span = FIRST_SPAN;
  for (let queries = 0; queries < MAX_QUERIES && last >= firstBlock; queries += 1) {
    const first = Math.max(firstBlock, last - span + 1);
    try {
      const logs = (await logsBetween(rpc, search.filters, first, last)).filter((log) => isBefore(log, start));
      // In steps: what is accepted may cost a query for each log, and a page needs few of them.
      const accepted: NodeLog[] = [];
      for (let at = 0; at < logs.length && found.length + accepted.length <= limit; at += limit + 1) {
        const some = logs.slice(at, at + limit + 1);
        accepted.push(...(search.accept === undefined ? some : await search.accept(some)));
      }
      found.push(...accepted);
      if (logs.length < limit) span *= GROWTH;
    } catch (error) {
      if (!refusesRange(error) || first === last) throw error;
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

function cursorAt(block: number, index: number): string {
  return `${block}-${index}`;
}

function isBefore({ blockNumber, logIndex }: NodeLog, { block, index }: LogPosition): boolean {
  return blockNumber < block || (blockNumber === block && logIndex < index);
}

async function logsBetween(rpc: Rpc, filters: readonly LogFilter[], first: number, last: number): Promise<NodeLog[]> {
  const found = await Promise.all(filters.map((filter) => fetchLogRange(rpc, filter, first, last)));
  const logs = found.flat().toSorted((a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex);
  // One log can match several filters.
  return logs.filter(
    (log, index) => log.blockNumber !== logs[index - 1]?.blockNumber || log.logIndex !== logs[index - 1]?.logIndex,
  );
}
