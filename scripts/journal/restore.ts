import { blockRanges } from "../../server/journal/reconciliation/anchor-check.ts";
import { readSegments, type SegmentTarget } from "../../server/journal/replication/segment-target.ts";
import { contentOver } from "../../server/journal/integrity/stored-anchor.ts";
import type { AnchorContent, BlockInclusion } from "../../server/chain/contracts/anchors.ts";
import type { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import type { JournalRebuild, UnconfirmedLeaves } from "./rebuild.ts";

/** Reads of the chain. */
export type RestoringChain = Pick<
  ProofAnchorClient,
  "anchorCall" | "anchorOf" | "blockOf" | "firstBlock" | "newestBlock" | "anchors"
>;

/** Result of a restore. */
export interface Restored {
  readonly entries: number;
  readonly proofs: number;
  /** Proofs confirmed on chain that no entry confirmed. */
  readonly confirmedSince: number;
  /** Proofs that are not anchored yet. */
  readonly pending: number;
}

/**
 * Builds an empty journal from a replica, and verifies every entry.
 * @throws SegmentFault at an invalid segment of the replica
 * @throws SealbookError `conflict` when the journal is not empty
 */
export async function restoreFromReplica(
  rebuild: JournalRebuild,
  target: SegmentTarget,
  chain: RestoringChain,
  onEntries: (done: number, total: number) => void,
): Promise<Restored> {
  await rebuild.assertEmpty();
  const total = (await target.newest().catch(() => undefined))?.last ?? 0;
  for await (const { manifest, lines } of readSegments(target)) {
    await rebuild.append(lines);
    onEntries(manifest.last, total);
  }
  return complete(rebuild, chain);
}

/**
 * Builds the tables of a journal again from its rows.
 * @throws RangeError when a row is missing, or was not written with the key
 */
export async function restoreFromRows(
  rebuild: JournalRebuild,
  chain: RestoringChain,
  onEntries: (done: number) => void,
): Promise<Restored> {
  await rebuild.readRows(onEntries);
  return complete(rebuild, chain);
}

/** Queries the chain for confirmations that no entry has. */
async function complete(rebuild: JournalRebuild, chain: RestoringChain): Promise<Restored> {
  const entries = rebuild.newest;
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
async function findAnchor(
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
