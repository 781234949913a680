import type { AnchorFacts } from "./anchor-facts.ts";
import type { Database } from "../../server/journal/engine/database.ts";

/** Maximum number of values per query. */
const MOST_AT_ONCE = 500;

/** Reads the facts of anchors that are compared. All anchors of one batch are read in one snapshot. */
export async function readAnchors(
  database: Database,
  by: "id" | "batch_id",
  values: Iterable<number>,
): Promise<AnchorFacts[]> {
  const wanted = [...new Set(values)];
  const found: AnchorFacts[] = [];
  for (let first = 0; first < wanted.length; first += MOST_AT_ONCE) {
    const rows = await select(database)
      .where(`anchors.${by}`, "in", wanted.slice(first, first + MOST_AT_ONCE))
      .execute();
    found.push(...rows.map(toFacts));
  }
  return found;
}

/** Reads anchors for proofs that have no proofs, up to a limit. */
export async function anchorsWithoutProofs(database: Database, after: number, limit: number): Promise<number[]> {
  const rows = await database
    .selectFrom("anchors")
    .select("id")
    .where("checkpoint", "is", null)
    .where("id", ">", after)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("batch_rows")
            .select("batch_rows.batch_id")
            .whereRef("batch_rows.batch_id", "=", "anchors.batch_id"),
        ),
      ),
    )
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

function select(database: Database) {
  return database
    .selectFrom("anchors")
    .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
    .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .selectAll("anchors")
    .select([
      "transactions.id as known_transaction",
      "transactions.state",
      "transactions.hash as transaction_hash",
      "transactions.block_number",
      "transactions.block_hash",
      "confirmations.anchor_id as confirms",
      "confirmations.block_hash as confirmed_in",
    ])
    .select((e) =>
      e
        .selectFrom("confirmations as every")
        .select((every) => every.fn.max<number | null>("every.sequence").as("newest"))
        .whereRef("every.anchor_id", "=", "anchors.id")
        .as("newest_confirmation"),
    );
}

type Row = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toFacts(row: Row): AnchorFacts {
  return {
    id: row.id,
    batch: row.batch_id,
    firstLeaf: row.first_leaf,
    lastLeaf: row.last_leaf,
    hash: row.hash,
    size: row.size,
    checkpoint: row.checkpoint,
    transactionId: row.transaction_id,
    transaction:
      row.known_transaction === null
        ? undefined
        : {
            isConfirmed: row.state === "confirmed",
            hash: row.transaction_hash,
            blockNumber: row.block_number,
            blockHash: row.block_hash,
          },
    confirmation: row.confirmation,
    confirms:
      row.confirms === null || row.confirmed_in === null
        ? undefined
        : { anchor: row.confirms, blockHash: row.confirmed_in },
    newestConfirmation: row.newest_confirmation,
  };
}
