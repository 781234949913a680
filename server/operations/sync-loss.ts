import { stalledAfter } from "../chain/consensus/bft-report.ts";
import type { NodeReport } from "../chain/node/node-inspector.ts";

/**
 * Returns why a node is out of sync, or why its network makes no blocks.
 * @returns `undefined` without a fault, also for an idle node, and while round changes after missing proposers explain
 * the wait
 */
export function syncLoss(report: NodeReport, regularBlocks: boolean, staleSeconds: number): string | undefined {
  const { syncing, blockTime, peers, consensus } = report;
  if (syncing) return "the node is catching up with the network";
  if (consensus.validators.length > 1 && peers === 0) return "the node has no peers";
  if (!regularBlocks) return undefined;
  const age = Math.floor(Date.now() / 1000) - blockTime;
  // The age would be another text with each check.
  const newest = `the newest block is from ${new Date(blockTime * 1000).toUTCString()}`;
  const { bft } = consensus;
  if (report.idle) return undefined;
  if (bft?.rhythm === undefined) return age > staleSeconds ? newest : undefined;
  if (bft.pace !== "stalled") return undefined;
  const { length } = consensus.validators;
  const expected = Math.round(stalledAfter(bft.rhythm, length));
  const missing = bft.missing.length === 0 ? "" : `; missing: ${bft.missing.join(", ")}`;
  const present = bft.missing.length === 0 ? `all ${length}` : `${length - bft.missing.length} of ${length}`;
  const lack =
    bft.quorumMissing === 0
      ? `though ${present} validators seem to be there`
      : `${bft.quorumMissing} more of ${length} validators would have to take part`;
  // The rounds of those that waited are late, and their timeouts long.
  const remedy =
    (bft.quorumMissing === 0 ? "" : "start the missing ones; ") +
    "blocks come when the rounds meet, after up to five times the length of the stall; otherwise restart all " +
    "validators at the same time";
  return (
    `the network makes no blocks: ${newest}, and round changes take ${expected} s at most; ` +
    `${lack}${missing}; ${remedy}`
  );
}
