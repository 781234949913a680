import type { TransactionOutcome } from "../../chain/transaction.ts";
import type { BlockReference } from "../../chain/block.ts";
import type { FinalOutcome, RecordedOutcomes } from "../../chain/transactions/types.ts";
import { SealbookError } from "../../errors.ts";
import { confirmAnchors } from "../entries/confirmations.ts";
import type { Database } from "../engine/database.ts";
import type { TransactionRow } from "../engine/schema.ts";
import type { JournalKey } from "../integrity/journal-key.ts";

/** Returns the block of a mined row. */
function blockOf(
  row: Pick<TransactionRow, "block_number" | "block_hash" | "block_time" | "validator">,
): BlockReference | undefined {
  if (row.block_number === null || row.block_hash === null || row.block_time === null) return undefined;
  return { number: row.block_number, hash: row.block_hash, time: row.block_time, validator: row.validator ?? "" };
}

/** Returns the outcome that a row has. */
export function toOutcome(row: TransactionRow): TransactionOutcome {
  switch (row.state) {
    case "queued":
    case "sent":
      return { state: "pending", sent: row.state === "sent" };
    case "cancelled":
      return { state: "cancelled" };
    case "reverted":
      return { state: "reverted", reason: row.reason ?? "reverted", block: blockOf(row) };
    case "refused":
      return { state: "refused", reason: row.reason ?? "refused" };
    case "confirmed": {
      const block = blockOf(row);
      if (block === undefined || row.hash === null) {
        throw new SealbookError("internal", `transaction ${row.id} is confirmed without a block`);
      }
      return { state: "confirmed", hash: row.hash, block };
    }
  }
}

/** Records outcomes, and confirms the anchors of the confirmed transactions; inside a write transaction. */
export async function writeOutcomes(
  transaction: Database,
  key: JournalKey | undefined,
  outcomes: readonly FinalOutcome[],
): Promise<RecordedOutcomes> {
  for (const { id, state, block, reason, version } of outcomes) {
    await transaction
      .updateTable("transactions")
      .set({
        state,
        ...(version === undefined ? {} : { raw: version.raw, hash: version.hash }),
        reason: reason ?? null,
        block_number: block.number,
        block_hash: block.hash,
        block_time: block.time,
        validator: block.validator,
        // The signed bytes contain it, and are kept for a rollback of the chain; unsigned data may still be requested.
        ...(state === "confirmed" ? { data: null } : {}),
        outcome_at: Date.now(),
      })
      .where("id", "=", id)
      .execute();
  }
  const confirmed = outcomes.filter(({ state }) => state === "confirmed");
  return confirmAnchors(transaction, key, new Map(confirmed.map((outcome) => [outcome.id, outcome])));
}
