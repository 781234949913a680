import type { NodeInspector, NodeReport } from "../chain/node/node-inspector.ts";
import { SealbookError } from "../errors.ts";
import type { ClockMonitor } from "./clock-monitor.ts";
import type { Leadership, Status } from "./responses.ts";
import { syncLoss } from "./sync-loss.ts";
import type { StorageState } from "./storage-monitor.ts";
import { missingRole } from "../chain/contracts/roles.ts";
import { nodeErrorIn } from "../chain/rpc/rpc.ts";

/**
 * A network whose newest block is older makes no blocks: longer than the round changes after two missing proposers, and
 * than a minute without transactions on a network that makes empty blocks at longer intervals.
 */
export const STALE_BLOCK_SECONDS = 120;

/** Sources of the status. */
export interface StatusDeps {
  readonly version: string;
  /** Seconds since the start. */
  readonly uptime: () => number;
  readonly chainId: number;
  readonly relayer: string;
  /** Whether the chain makes blocks when no transaction waits. */
  readonly regularBlocks: boolean;
  readonly staleSeconds: number;
  readonly inspect: NodeInspector;
  /** How the node's responses contradicted each other shortly before. */
  readonly contradiction: () => string | undefined;
  readonly proofCounts: () => Promise<{ records: number; pending: number }>;
  readonly transactionsInFlight: () => Promise<number>;
  /** Anchors that the chain rejected and that wait for another attempt. */
  readonly failedAnchors: () => Promise<number>;
  /** Whether a proof waits for the chain for too long. */
  readonly isLate: () => boolean;
  /** Why alerts do not reach their receivers. */
  readonly undelivered: () => readonly string[];
  readonly divergences: () => number;
  readonly leadership: () => Promise<Leadership>;
  /** Why the relayer that leads does not hear of this one. */
  readonly unheard: () => string | undefined;
  readonly storage: () => StorageState;
  readonly clock: Pick<ClockMonitor, "blockAhead" | "fault">;
  /** End of the last comparison of journal and chain, in Unix seconds. */
  readonly lastReconciled: () => number | null;
  /** Lag of the replica that lags most, in seconds; `null` without replicas. */
  readonly replicaLag: () => number | null;
}

/**
 * Builds the response of `GET /api/v1/status`: `ok`, `degraded` or `down`, the figures behind it, and in `problems` why
 * it is not `ok`. Never fails: what cannot be read is `null`.
 */
export async function statusReport(deps: StatusDeps): Promise<Status> {
  const problems: { readonly part: string; readonly reason: string }[] = [];
  const read = async <T>(part: string, reading: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await reading();
    } catch (error) {
      problems.push({ part, reason: reasonOf(error) });
      return undefined;
    }
  };
  const [node, counts, inFlight, failed, leadership] = await Promise.all([
    read("node", deps.inspect),
    read("journal.records", deps.proofCounts),
    read("relayer.in_flight", deps.transactionsInFlight),
    read("journal.anchors", deps.failedAnchors),
    read("leadership", deps.leadership),
  ]);
  const unheard = deps.unheard();
  if (unheard !== undefined) problems.push({ part: "leadership", reason: unheard });
  const contradiction = deps.contradiction();
  if (contradiction !== undefined) problems.push({ part: "node", reason: contradiction });
  for (const reason of deps.undelivered()) problems.push({ part: "alerts", reason });
  if (node?.fee.fault !== undefined) problems.push({ part: "relayer.fee", reason: node.fee.fault });
  const lack = node && missingRole(node.relayer, node.lacksRoleOf);
  if (lack !== undefined) problems.push({ part: "relayer.role", reason: lack });
  const loss = node && syncLoss(node, deps.regularBlocks, deps.staleSeconds);
  if (loss !== undefined) problems.push({ part: "node", reason: loss });
  const now = Math.floor(Date.now() / 1000);
  const blockAge = node === undefined ? null : Math.max(0, now - node.blockTime);
  const storage = deps.storage();
  const divergences = deps.divergences();
  if (divergences > 0)
    problems.push({ part: "journal.divergences", reason: `${divergences} are open; the alerts have them` });
  if (failed !== undefined && failed > 0)
    problems.push({ part: "journal.anchors", reason: `the chain rejects ${failed}, which are sent again` });
  if (deps.isLate()) problems.push({ part: "journal.pending", reason: "a proof waits for the chain for too long" });
  if (storage.fault !== undefined) problems.push({ part: "journal.storage_fault", reason: storage.fault });
  const skew = deps.clock.fault();
  if (skew !== undefined) problems.push({ part: "node.clock_skew", reason: skew });
  return {
    // Without the chain or the journal nothing can be accepted or returned.
    status: node === undefined || counts === undefined ? "down" : problems.length > 0 ? "degraded" : "ok",
    version: deps.version,
    uptime: Math.floor(deps.uptime()),
    leadership: leadership ?? null,
    node: {
      client: node?.client ?? null,
      chain_id: deps.chainId,
      block_number: node?.blockNumber ?? null,
      clock_skew: deps.clock.blockAhead(),
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
    },
    journal: {
      records: counts?.records ?? null,
      pending: counts?.pending ?? null,
      writable: storage.writable,
      storage_fault: storage.fault ?? null,
      free_bytes: storage.freeBytes ?? null,
      last_reconciled: deps.lastReconciled(),
      divergences,
      replica_lag: deps.replicaLag(),
    },
    relayer: {
      address: deps.relayer,
      balance: node?.balance.toString() ?? null,
      fee: node === undefined ? null : feeStatus(node.fee),
      in_flight: inFlight ?? null,
    },
    problems,
  };
}

/** Further facts with a list of the network's nodes. */
function peersStatus(node: NodeReport | undefined): Partial<Status["node"]> {
  if (node?.network.listed === undefined) return {};
  const { listed, missing, unlisted } = node.network;
  return { peers_listed: listed, peers_missing: missing, peers_unlisted: unlisted };
}

/** Further facts with several addresses in `RPC_URL`. */
function addressStatus(addresses: NodeReport["addresses"]): Partial<Status["node"]> {
  if (addresses.length === 0) return {};
  const states = addresses.map(({ address, active, reachable, blockNumber, reason }) => ({
    address,
    active,
    reachable,
    block_number: blockNumber ?? null,
    reason: reason ?? null,
  }));
  return { addresses: states };
}

function feeStatus({ fee, baseFee, limit }: NodeReport["fee"]): NonNullable<Status["relayer"]["fee"]> {
  return {
    kind: fee.kind,
    max: fee.max.toString(),
    tip: fee.tip.toString(),
    base_fee: baseFee.toString(),
    limit: limit.toString(),
  };
}

/** Operators get the words of the node. Errors of the server have a text; that of others can have internals. */
function reasonOf(error: unknown): string {
  const refusal = nodeErrorIn(error);
  if (refusal !== undefined) return `the node returned an error: ${refusal.message}`;
  return error instanceof SealbookError ? error.message : "it has unexpected content";
}
