import type { BlockReference } from "../../chain/block.ts";
import type { AnchorContent, BlockInclusion, ConfirmedAnchor, MinedAnchor } from "../../chain/contracts/anchors.ts";
import type { RecordedOutcomes } from "../../chain/transactions/types.ts";
import { equalBytes } from "../../kit/bytes.ts";
import type { Database } from "../engine/database.ts";
import { isAmong } from "../engine/lists.ts";
import { isAnchorOf } from "../integrity/anchor-code.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { appendEntries } from "./entry-log.ts";

/** A mined transaction and what it has anchored, as its verified block has it. */
export interface AnchoringTransaction {
  readonly hash: Uint8Array;
  readonly block: BlockReference;
  /** What it has anchored, if anything. */
  readonly anchored?: MinedAnchor | undefined;
}

/**
 * Appends confirmations for the anchors of mined transactions, inside a write transaction. What is confirmed is what
 * was mined: a transaction of another content confirms nothing.
 * @param mined By transaction id
 * @returns also the anchors whose confirmation was known
 */
export async function confirmAnchors(
  transaction: Database,
  key: JournalKey | undefined,
  mined: ReadonlyMap<number, AnchoringTransaction>,
): Promise<RecordedOutcomes> {
  if (mined.size === 0) return { confirmed: [], others: [] };
  const anchors = await transaction
    .selectFrom("anchors")
    .select(["id", "first_sequence", "hash", "size", "checkpoint", "code", "transaction_id"])
    .where(isAmong(transaction, "transaction_id", [...mined.keys()]))
    .orderBy("id")
    .execute();
  const others: number[] = [];
  const confirmed: (ConfirmedAnchor & { readonly checkpoint: number | null })[] = [];
  for (const { transaction_id: transactionId, ...anchor } of anchors) {
    const at = transactionId === null ? undefined : mined.get(transactionId);
    if (transactionId === null || at === undefined) continue;
    const { id: anchorId, hash, checkpoint } = anchor;
    const isOwn = hash !== null && isAnchorOf(key, { ...anchor, hash });
    const isSame = at.anchored?.size === anchor.size && equalBytes(at.anchored.hash, hash);
    if (!isOwn || !isSame || at.anchored === undefined) others.push(transactionId);
    else confirmed.push({ anchorId, checkpoint, ...placeOf(at.anchored, at) });
  }
  await appendEntries(
    transaction,
    key,
    (await withoutKnown(transaction, confirmed)).map((anchor) => (sequence: number) => ({
      kind: "confirmation" as const,
      sequence,
      anchor: anchor.anchorId,
      hash: anchor.hash,
      size: anchor.size,
      checkpoint: anchor.checkpoint,
      contract: anchor.contract,
      tx_hash: anchor.transactionHash,
      block_number: anchor.block.number,
      block_hash: anchor.block.hash,
      block_time: anchor.block.time,
      validator: anchor.block.validator,
    })),
  );
  return { confirmed: confirmed.map(({ checkpoint: _, ...anchor }) => anchor), others };
}

/**
 * Returns where the contract has an anchor: a repeat anchors nothing. Who has a transaction sent once more gives its
 * anchor no later time.
 */
function placeOf(
  { first, ...content }: MinedAnchor,
  { hash: transactionHash, block }: AnchoringTransaction,
): AnchorContent & BlockInclusion {
  return { ...content, transactionHash, block, ...first };
}

/**
 * Filters out anchors whose newest confirmation is the same: after a chain recovery a transaction can be in its former
 * block.
 */
async function withoutKnown<C extends ConfirmedAnchor>(transaction: Database, confirmed: readonly C[]): Promise<C[]> {
  const unknown: C[] = [];
  for (const each of confirmed) {
    const newest = await transaction
      .selectFrom("confirmations")
      .select(["sequence", "transaction_hash", "block_hash"])
      .where("anchor_id", "=", each.anchorId)
      .orderBy("sequence", "desc")
      .limit(1)
      .executeTakeFirst();
    const isKnown =
      equalBytes(newest?.transaction_hash, each.transactionHash) && equalBytes(newest?.block_hash, each.block.hash);
    if (newest === undefined || !isKnown) unknown.push(each);
    else
      await transaction
        .updateTable("anchors")
        .set({ confirmation: newest.sequence })
        .where("id", "=", each.anchorId)
        .execute();
  }
  return unknown;
}
