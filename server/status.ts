import type { NodeInspector, NodeReport } from "./domain/ports.ts";
import { SealbookError } from "./errors.ts";

/** A remote chain that makes no block for this long has lost its consensus. */
export const STALE_BLOCK_SECONDS = 60;

/** What the status is put together from. */
export interface StatusParts {
  readonly version: string;
  readonly startedAt: number;
  readonly chainId: number;
  readonly relayer: string;
  /** Whether blocks come without anybody asking for them. */
  readonly regularBlocks: boolean;
  readonly inspect: NodeInspector;
  readonly proofCounts: () => Promise<{ records: number; pending: number }>;
  readonly transactionsUnderWay: () => Promise<number>;
  /** Proofs whose transaction failed for good and that wait for another. */
  readonly failedAnchors: () => Promise<number>;
  readonly divergences: () => number;
  /** When the journal was last compared with the chain, in Unix seconds. */
  readonly lastReconciled: () => Promise<number | null>;
  /** How many seconds the replica that is furthest behind is behind the journal; `null` without replicas. */
  readonly replicaLag: () => number | null;
}

/** The answer of `GET /api/v1/status`: `ok`, `degraded` or `down`, and the figures behind it. */
export async function statusReport(parts: StatusParts): Promise<object> {
  const [node, counts, underWay, failed, lastReconciled] = await Promise.all([
    inspected(parts.inspect),
    parts.proofCounts(),
    parts.transactionsUnderWay(),
    parts.failedAnchors(),
    parts.lastReconciled(),
  ]);
  const now = Math.floor(Date.now() / 1000);
  const blockAge = node === undefined ? null : Math.max(0, now - node.blockTime);
  const divergences = parts.divergences();
  return {
    status: judge(node, blockAge, divergences + failed, parts.regularBlocks),
    version: parts.version,
    uptime: Math.floor((Date.now() - parts.startedAt) / 1000),
    node: {
      client: node?.client ?? null,
      chain_id: parts.chainId,
      block_number: node?.blockNumber ?? null,
      block_age: blockAge,
      syncing: node?.syncing ?? null,
      peers: node?.peers ?? null,
    },
    consensus: {
      protocol: node?.consensus.protocol ?? null,
      validators: node?.consensus.validators ?? [],
      quorum: node?.consensus.quorum ?? null,
      proposer: node?.consensus.proposer ?? null,
    },
    journal: {
      records: counts.records,
      pending: counts.pending,
      last_reconciled: lastReconciled,
      divergences,
      replica_lag: parts.replicaLag(),
    },
    relayer: { address: parts.relayer, balance: node?.balance.toString() ?? null, in_flight: underWay },
  };
}

function judge(
  node: NodeReport | undefined,
  blockAge: number | null,
  faults: number,
  regularBlocks: boolean,
): "ok" | "degraded" | "down" {
  if (node === undefined) return "down";
  const stale = regularBlocks && blockAge !== null && blockAge > STALE_BLOCK_SECONDS;
  return node.syncing || stale || faults > 0 ? "degraded" : "ok";
}

async function inspected(inspect: NodeInspector): Promise<NodeReport | undefined> {
  try {
    return await inspect();
  } catch (error) {
    if (error instanceof SealbookError && error.code === "chain_unavailable") return undefined;
    throw error;
  }
}
