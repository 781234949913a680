import type { NodeReport } from "../chain/node/node-inspector.ts";

/**
 * Returns why a node is out of sync, or why its network makes no blocks.
 * @returns `undefined` without a fault, also for an idle node
 */
export function syncLoss(report: NodeReport, regularBlocks: boolean, staleSeconds: number): string | undefined {
  const { syncing, blockTime, peers, consensus, idle } = report;
  if (syncing) return "the node is catching up with the network";
  if (consensus.validators.length > 1 && peers === 0) return "the node has no peers";
  if (!regularBlocks || idle || Date.now() / 1000 - blockTime <= staleSeconds) return undefined;
  // The age would be another text with each check.
  return `the network makes no blocks: the newest block is from ${new Date(blockTime * 1000).toUTCString()}`;
}
