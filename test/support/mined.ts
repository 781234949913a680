import type { AnchoringTransaction } from "../../server/journal/entries/confirmations.ts";
import type { Database } from "../../server/journal/engine/database.ts";

/** Returns the hash of a signed transaction and what it anchors: the chain that tests leave out has the same. */
export async function minedAs(
  database: Database,
  transactionId: number,
): Promise<Pick<AnchoringTransaction, "hash" | "anchored">> {
  const row = await database
    .selectFrom("transactions")
    .leftJoin("anchors", "transaction_id", "transactions.id")
    .select(["transactions.hash", "anchors.hash as root", "size", "to_address as contract"])
    .where("transactions.id", "=", transactionId)
    .executeTakeFirstOrThrow();
  if (row.hash === null) throw new Error(`transaction ${transactionId} is not signed`);
  const { hash, root, size, contract } = row;
  return { hash, anchored: root === null || size === null ? undefined : { hash: root, size, contract } };
}
