import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import { prefixedHex } from "../../kit/bytes.ts";
import type { Database } from "../engine/database.ts";
import type { ConfirmationEntry, ProofEntry } from "../entries/codec.ts";
import { confirmAnchors } from "../entries/confirmations.ts";
import { inTransaction } from "../entries/entry-log.ts";
import { newestSequence } from "../entries/journal-rows.ts";
import { replaceKeys } from "../index/proof-index.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { isSameBlock } from "../integrity/stored-anchor.ts";
import type { AnchorRow } from "./anchor-rows.ts";
import type { OpenAnchor } from "./open-anchors.ts";

export interface RepairsDeps {
  readonly database: Database;
  readonly key: JournalKey;
  readonly chain: Pick<ProofAnchorClient, "blockOf">;
  readonly onCorrected: (message: string) => void;
}

/** What the leader corrects by itself: entries and chain say what is right. */
export class Repairs {
  readonly #deps: RepairsDeps;

  constructor(deps: RepairsDeps) {
    this.#deps = deps;
  }

  /**
   * Has an anchor name the entry that confirms it.
   * @returns whether it does now
   */
  async nameConfirmation({ anchor, sequence, block_number, tx_hash }: ConfirmationEntry): Promise<boolean> {
    const { database, onCorrected } = this.#deps;
    await inTransaction(database, (transaction) =>
      transaction.updateTable("anchors").set({ confirmation: sequence }).where("id", "=", anchor).execute(),
    );
    const row = await database.selectFrom("anchors").select("confirmation").where("id", "=", anchor).executeTakeFirst();
    if (row?.confirmation !== sequence) return false;
    const where = `block ${block_number}, transaction ${prefixedHex(tx_hash)}`;
    onCorrected(`the journal had lost that anchor ${anchor} is in ${where}`);
    return true;
  }

  /**
   * Confirms an anchor again whose transaction is in another block since a reorganization.
   * @returns whether it was
   */
  async confirmAgain(entry: ConfirmationEntry, { transaction_id: transactionId }: AnchorRow): Promise<boolean> {
    const { database, key, chain, onCorrected } = this.#deps;
    const { tx_hash: hash, hash: content, size, contract, block_number: number, block_hash, block_time: time } = entry;
    if (transactionId === null) return false;
    const block = await chain.blockOf(hash, content, number, contract);
    if (block === undefined || isSameBlock(block, { number, hash: block_hash, time })) return false;
    const anchored = { hash: content, size, contract };
    const { confirmed } = await inTransaction(database, async (transaction) => {
      const place = { block_number: block.number, block_hash: block.hash, block_time: block.time };
      // The contract can have it from another transaction than the relayer's.
      await transaction
        .updateTable("transactions")
        .set({ ...place, validator: block.validator })
        .where("id", "=", transactionId)
        .where("hash", "=", hash)
        .execute();
      return confirmAnchors(transaction, key, new Map([[transactionId, { hash, block, anchored }]]));
    });
    if (!confirmed.some(({ anchorId }) => anchorId === entry.anchor)) return false;
    onCorrected(
      `entry ${entry.sequence}: transaction ${prefixedHex(hash)} is in block ${block.number} now, ` +
        `${prefixedHex(block.hash)}; it was in block ${number}, ${prefixedHex(block_hash)}`,
    );
    return true;
  }

  /** Writes keys of proofs anew that they are not found by; the next complete check ends what was found. */
  async writeKeys(proofs: readonly ProofEntry[]): Promise<void> {
    const { database, onCorrected } = this.#deps;
    const [first] = proofs;
    if (first === undefined) return;
    await inTransaction(database, async (transaction) => {
      const newest = await newestSequence(transaction);
      await replaceKeys(transaction, proofs, newest);
    });
    onCorrected(`the index had lost ${proofs.length} proofs, of the entries from ${first.sequence} on`);
  }

  /** Opens anchors again that proofs are under, and that are in no row as a relayer has written it. */
  async openAgain(anchors: readonly OpenAnchor[]): Promise<void> {
    const { database, onCorrected } = this.#deps;
    if (anchors.length === 0) return;
    await inTransaction(database, async (transaction) => {
      for (const { id, first, size } of anchors) {
        await transaction.deleteFrom("anchors").where("id", "=", id).execute();
        const open = { id, first_sequence: first, size, opened_at: Date.now() };
        await transaction.insertInto("anchors").values(open).execute();
      }
    });
    for (const { id, first } of anchors)
      onCorrected(`the journal had lost anchor ${id}, which entry ${first} is under: it is anchored again`);
  }
}
