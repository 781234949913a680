import { blockRanges } from "../../server/journal/reconciliation/anchor-check.ts";
import { readSegments, type SegmentTarget } from "../../server/journal/replication/segment-target.ts";
import { contentOver } from "../../server/journal/integrity/stored-anchor.ts";
import type { AnchorContent, BlockInclusion } from "../../server/chain/contracts/anchors.ts";
import type { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import type { JournalRebuild, UnconfirmedLeaves } from "./rebuild.ts";

/** Reads of the chain. */
type RestoringChain = Pick<
  ProofAnchorClient,
  "anchorCall" | "anchorOf" | "blockOf" | "firstBlock" | "newestBlock" | "anchors"
>;

export interface RestoringDeps {
  readonly target: SegmentTarget;
  readonly rebuild: JournalRebuild;
  readonly chain: RestoringChain;
  readonly onSegment: (done: number, total: number, entries: number) => void;
}

/** Result of a restore. */
export interface Restored {
  readonly entries: number;
  readonly proofs: number;
  /** Proofs confirmed on chain without a confirmation in the replica. */
  readonly confirmedSince: number;
  /** Proofs that are not anchored yet. */
  readonly pending: number;
}

/**
 * Rebuilds an empty journal from a replica, verifies every entry, and queries the chain for confirmations that the
 * replica lacks.
 * @throws SegmentFault at an invalid segment of the replica
 * @throws SealbookError `conflict` when the journal is not empty
 */
export async function restoreJournal(deps: RestoringDeps): Promise<Restored> {
  const { target, rebuild, chain, onSegment } = deps;
  await rebuild.assertEmpty();
  let entries = 0;
  for await (const { lines, done, total } of readSegments(target)) {
    await rebuild.append(lines);
    entries += lines.length;
    onSegment(done, total, entries);
  }
  let confirmedSince = 0;
  let pending = 0;
  for await (const leaves of rebuild.unconfirmed()) {
    if (await recordOutcome(rebuild, chain, leaves)) confirmedSince += leaves.hashes.length;
    else pending += leaves.hashes.length;
  }
  await findCheckpoints(rebuild, chain);
  await rebuild.finish();
  return { entries, proofs: rebuild.proofs, confirmedSince, pending };
}

/** @returns whether the leaves are anchored on chain */
async function recordOutcome(
  rebuild: JournalRebuild,
  chain: RestoringChain,
  leaves: UnconfirmedLeaves,
): Promise<boolean> {
  // A single hash may be anchored as it is or under a root.
  const forms = [contentOver(leaves.hashes).content, contentOver(leaves.hashes, true).content];
  for (const content of forms) {
    const mined = await findAnchor(chain, content);
    if (mined === undefined) continue;
    await rebuild.confirm(leaves, content, mined);
    return true;
  }
  const { content } = contentOver(leaves.hashes);
  await rebuild.queue(leaves, content, chain.anchorCall(content));
  return false;
}

/** Records checkpoints on chain that the replica lacks. */
async function findCheckpoints(rebuild: JournalRebuild, chain: RestoringChain): Promise<void> {
  const newest = await chain.newestBlock();
  for (const { from, to } of blockRanges(Math.max(chain.firstBlock, rebuild.newestBlock), newest)) {
    for (const { hash, size, contract, transactionHash } of await chain.anchors(from, to)) {
      const block = size === 0 ? await chain.blockOf(transactionHash, hash) : undefined;
      if (block !== undefined) await rebuild.confirmCheckpoint(hash, { contract, transactionHash, block });
    }
  }
}

/** Finds the transaction and the block of an anchor on chain; `undefined` when it is not there in this form. */
export async function findAnchor(
  chain: Pick<ProofAnchorClient, "anchorOf" | "anchors" | "blockOf">,
  { hash, size }: AnchorContent,
): Promise<BlockInclusion | undefined> {
  const anchor = await chain.anchorOf(hash);
  if (anchor?.size !== size) return undefined;
  const logged = await chain.anchors(anchor.blockNumber, anchor.blockNumber);
  const found = logged.find((each) => Buffer.compare(each.hash, hash) === 0);
  const block = found && (await chain.blockOf(found.transactionHash, hash));
  return found && block && { contract: anchor.contract, transactionHash: found.transactionHash, block };
}
