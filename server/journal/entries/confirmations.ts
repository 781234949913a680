import type { BlockReference } from "../../chain/block.ts";
import type { ConfirmedAnchor } from "../../chain/contracts/anchors.ts";
import type { Database } from "../engine/database.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { appendEntries } from "./entry-log.ts";

/**
 * Appends confirmations for the anchors of mined transactions, inside a write transaction.
 * @param blocks By transaction id
 * @returns the confirmed anchors, also those whose confirmation was known
 */
export async function confirmInBlocks(
  transaction: Database,
  key: JournalKey | undefined,
  blocks: ReadonlyMap<number, BlockReference>,
): Promise<ConfirmedAnchor[]> {
  if (blocks.size === 0) return [];
  const anchors = await transaction
    .selectFrom("anchors")
    .innerJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select([
      "anchors.id",
      "anchors.hash",
      "size",
      "checkpoint",
      "transaction_id",
      "transactions.hash as transaction_hash",
      "transactions.to_address as contract",
    ])
    .where("transaction_id", "in", [...blocks.keys()])
    .orderBy("anchors.id")
    .execute();
  const mined = anchors.flatMap(({ transaction_id, hash, transaction_hash: transactionHash, ...anchor }) => {
    const block = transaction_id === null ? undefined : blocks.get(transaction_id);
    return transaction_id === null || block === undefined || hash === null || transactionHash === null
      ? []
      : [{ ...anchor, hash, transactionId: transaction_id, transactionHash, block }];
  });
  const confirmed = await withoutKnown(transaction, mined);
  await appendEntries(
    transaction,
    key,
    confirmed.map(({ id, hash, size, checkpoint, contract, transactionHash, block }) => (sequence: number) => ({
      kind: "confirmation" as const,
      sequence,
      anchor: id,
      hash,
      size,
      checkpoint,
      contract,
      tx_hash: transactionHash,
      block_number: block.number,
      block_hash: block.hash,
      block_time: block.time,
      validator: block.validator,
    })),
  );
  return mined.map(({ id, transactionId, hash, size, contract, transactionHash, block }) => ({
    ...{ anchorId: id, transactionId, hash, size },
    ...{ contract, transactionHash, block },
  }));
}

interface Confirmed {
  readonly id: number;
  readonly transactionHash: Uint8Array;
  readonly block: BlockReference;
}

/**
 * Filters out anchors with a recorded confirmation: after a chain recovery a transaction can be in its former block.
 */
async function withoutKnown<C extends Confirmed>(transaction: Database, confirmed: readonly C[]): Promise<C[]> {
  const unknown: C[] = [];
  for (const each of confirmed) {
    const known = await transaction
      .selectFrom("confirmations")
      .select("sequence")
      .where("anchor_id", "=", each.id)
      .where("transaction_hash", "=", each.transactionHash)
      .where("block_hash", "=", each.block.hash)
      .executeTakeFirst();
    if (known === undefined) unknown.push(each);
    else
      await transaction
        .updateTable("anchors")
        .set({ confirmation: known.sequence })
        .where("id", "=", each.id)
        .execute();
  }
  return unknown;
}
