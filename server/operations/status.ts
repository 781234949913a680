import type { NodeInspector, NodeReport } from "../chain/node/node-report.ts";
import { SealbookError } from "../errors.ts";
import type { Status } from "./responses.ts";

/** A remote chain that makes no block for this long has lost its consensus. */
export const STALE_BLOCK_SECONDS = 60;

/** What the status is put together from. */
export interface StatusDeps {
  readonly version: string;
  readonly startedAt: number;
  readonly chainId: number;
  readonly relayer: string;
  /** Whether blocks come without anybody asking for them. */
  readonly regularBlocks: boolean;
  readonly inspect: NodeInspector;
  readonly proofCounts: () => Promise<{ records: number; pending: number }>;
  readonly transactionsInFlight: () => Promise<number>;
  /** Proofs whose transaction failed for good and that wait for another. */
  readonly failedAnchors: () => Promise<number>;
  readonly divergences: () => number;
  /** When the journal was last compared with the chain, in Unix seconds. */
  readonly lastReconciled: () => Promise<number | null>;
  /** How many seconds the replica that is furthest behind is behind the journal; `null` without replicas. */
  readonly replicaLag: () => number | null;
}

/** Builds the response of `GET /api/v1/status`: `ok`, `degraded` or `down`, and the figures behind it. */
export async function statusReport(deps: StatusDeps): Promise<Status> {
  const [node, counts, inFlight, failed, lastReconciled] = await Promise.all([
    inspected(deps.inspect),
    deps.proofCounts(),
    deps.transactionsInFlight(),
    deps.failedAnchors(),
    deps.lastReconciled(),
  ]);
  const now = Math.floor(Date.now() / 1000);
  const blockAge = node === undefined ? null : Math.max(0, now - node.blockTime);
  const divergences = deps.divergences();
  return {
    status: judge(node, blockAge, divergences + failed, deps.regularBlocks),
    version: deps.version,
    uptime: Math.floor((Date.now() - deps.startedAt) / 1000),
    node: {
      client: node?.client ?? null,
      chain_id: deps.chainId,
      block_number: node?.blockNumber ?? null,
      block_age: blockAge,
      syncing: node?.syncing ?? null,
      peers: node?.peers ?? null,
      ...peersStatus(node),
      ...addressStatus(node?.addresses ?? []),
    },
    consensus: {
      protocol: node?.consensus.protocol ?? null,
      validators: node?.consensus.validators ?? [],
      quorum: node?.consensus.quorum ?? null,
      proposer: node?.consensus.proposer ?? null,
      ...bftStatus(node?.consensus.bft),
    },
    journal: {
      records: counts.records,
      pending: counts.pending,
      last_reconciled: lastReconciled,
      divergences,
      replica_lag: deps.replicaLag(),
    },
    relayer: { address: deps.relayer, balance: node?.balance.toString() ?? null, in_flight: inFlight },
  };
}

function judge(
  node: NodeReport | undefined,
  blockAge: number | null,
  faults: number,
  regularBlocks: boolean,
): Status["status"] {
  if (node === undefined) return "down";
  const { bft } = node.consensus;
  const isLate =
    bft?.rhythm === undefined ? blockAge !== null && blockAge > STALE_BLOCK_SECONDS : bft.pace === "stalled";
  const stale = regularBlocks && isLate;
  return node.syncing || stale || faults > 0 ? "degraded" : "ok";
}

/** What a network with a list of its nodes tells in addition. */
function peersStatus(node: NodeReport | undefined): Partial<Status["node"]> {
  if (node?.network.listed === undefined) return {};
  const { listed, missing, unlisted } = node.network;
  return { peers_listed: listed, peers_missing: missing, peers_unlisted: unlisted };
}

/** What several addresses tell in addition. */
function addressStatus(addresses: NodeReport["addresses"]): Partial<Status["node"]> {
  if (addresses.length === 0) return {};
  const told = addresses.map(({ address, active, reachable, blockNumber, reason }) => ({
    address,
    active,
    reachable,
    block_number: blockNumber ?? null,
    reason: reason ?? null,
  }));
  return { addresses: told };
}

/** What a network whose validators seal its blocks tells in addition. */
function bftStatus(bft: NodeReport["consensus"]["bft"]): Partial<Status["consensus"]> {
  if (bft === undefined) return {};
  return {
    round: bft.round,
    pace: bft.pace,
    block_period: bft.rhythm?.blockPeriod ?? null,
    request_timeout: bft.rhythm?.requestTimeout ?? null,
    missing: bft.missing,
    quorum_missing: bft.quorumMissing,
    participation: bft.participation.map(({ validator, state, proposed, lastProposed, lastSealed, missedTurns }) => ({
      validator,
      state,
      proposed,
      last_proposed: lastProposed ?? null,
      last_sealed: lastSealed ?? null,
      missed_turns: missedTurns,
    })),
  };
}

async function inspected(inspect: NodeInspector): Promise<NodeReport | undefined> {
  try {
    return await inspect();
  } catch (error) {
    if (error instanceof SealbookError && error.code === "chain_unavailable") return undefined;
    throw error;
  }
}
