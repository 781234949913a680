import { type Generated, type Kysely, sql } from "kysely";
import { GENESIS_DIGEST, nextDigest } from "../../entries/entry.ts";
import { recordHash } from "../../integrity/record-hash.ts";
import { accountLine, confirmationLine, proofLine } from "../../entries/codec.ts";
import { openMonths } from "../../index/month-partitions.ts";
import { keysOf } from "../../index/proof-key.ts";
import { settleKeys } from "../../index/proof-keys.ts";

const ROWS_AT_ONCE = 500;
const LINK_LENGTH = 4;

type Account = {
  address: string;
  keystore: string;
  scope: string;
  enrolled: number;
  created_at: number;
  revoked_at: number | null;
};

/** What the tables before and after have to do with the move. */
type Tables = {
  proofs: {
    sequence: number;
    document_id: string;
    hash: Uint8Array;
    timestamp: number;
    type: string | null;
    source: string | null;
    metadata: string | null;
    accepted_at: number;
    anchor_id: number;
    leaf_index: number;
  };
  anchors: {
    id: number;
    hash: Uint8Array | null;
    size: number;
    transaction_id: number | null;
    relayer: string;
    opened_at: number;
  };
  accounts: Account;
  transactions: {
    id: number;
    state: string;
    hash: Uint8Array | null;
    block_number: number | null;
    block_hash: Uint8Array | null;
    block_time: number | null;
    validator: string | null;
  };
  journal_head: { sequence: number; digest: Uint8Array; proofs: number };
  proof_labels: { id: Generated<number>; text: string };
  proof_keys_recent: { key: number; sequence: number };
  proofs_3: {
    sequence: number;
    document_id: string;
    hash: Uint8Array;
    timestamp: number;
    label_id: number | null;
    metadata: string | null;
    accepted_at: number;
    batch_id: number;
    leaf_index: number;
    alike: number;
    link: Uint8Array;
  };
  anchors_3: {
    id: number;
    batch_id: number;
    first_leaf: number;
    last_leaf: number;
    first_sequence: number;
    last_sequence: number;
    hash: Uint8Array | null;
    size: number;
    transaction_id: number | null;
    confirmation: number | null;
    relayer: string;
    opened_at: number;
  };
  confirmations: {
    sequence: number;
    anchor_id: number;
    batch_id: number;
    first_leaf: number;
    hash: Uint8Array;
    size: number;
    transaction_hash: Uint8Array;
    block_number: number;
    block_hash: Uint8Array;
    block_time: number;
    validator: string;
    digest: Uint8Array;
  };
  accounts_3: Account & { sequence: number; digest: Uint8Array };
};

/** Makes entries of what was there: proofs in their order, then what is confirmed, then accounts. */
export async function moveEntries(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped.withTables<Tables>();
  let sequence = 0;
  let digest = GENESIS_DIGEST;
  const append = (line: string): void => {
    digest = nextDigest(digest, line);
  };

  await copyAnchors(db);
  const labels = new Map<string, number>();
  for (let after = -1; ;) {
    const rows = await db
      .selectFrom("proofs")
      .selectAll()
      .where("sequence", ">", after)
      .orderBy("sequence")
      .limit(ROWS_AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.sequence;
    const numbered = rows.map(({ accepted_at }, index) => ({ sequence: sequence + index + 1, accepted_at }));
    await openMonths(db, numbered, "proofs_3");
    for (const row of rows) {
      sequence += 1;
      const { hash, timestamp, type, source, metadata } = row;
      const entry = {
        sequence,
        documentId: row.document_id,
        hash,
        timestamp,
        type,
        source,
        metadata,
        acceptedAt: row.accepted_at,
        batch: row.anchor_id,
        leaf: row.leaf_index,
      };
      append(proofLine(entry));
      const anchor = await db
        .selectFrom("anchors_3")
        .select(["first_sequence"])
        .where("id", "=", row.anchor_id)
        .executeTakeFirstOrThrow();
      const isAlike = anchor.first_sequence > 0 && (await sharesPlace(db, row));
      if (!isAlike) {
        await db
          .updateTable("anchors_3")
          .set({ ...(anchor.first_sequence === 0 ? { first_sequence: sequence } : {}), last_sequence: sequence })
          .where("id", "=", row.anchor_id)
          .execute();
      }
      await db
        .insertInto("proofs_3")
        .values({
          sequence,
          document_id: row.document_id,
          hash,
          timestamp,
          label_id: await labelOf(db, labels, type, source),
          metadata,
          accepted_at: row.accepted_at,
          batch_id: row.anchor_id,
          leaf_index: row.leaf_index,
          alike: isAlike ? 1 : 0,
          link: digest.subarray(0, LINK_LENGTH),
        })
        .execute();
      const recorded = recordHash({ documentId: row.document_id, timestamp, type: type ?? "", hash });
      const keys = keysOf({ documentId: row.document_id, hash, recordHash: recorded });
      await db
        .insertInto("proof_keys_recent")
        .values(keys.map((key) => ({ key, sequence })))
        .execute();
    }
    await settleKeys(db, sequence - rows.length, sequence);
  }
  const proofs = sequence;
  await sql`update anchors_3 set last_sequence = ${Number.MAX_SAFE_INTEGER}, first_sequence = case first_sequence when 0 then 1 else first_sequence end where transaction_id is null`.execute(
    db,
  );

  const confirmed = await db
    .selectFrom("anchors")
    .innerJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select([
      "anchors.id",
      "anchors.hash",
      "anchors.size",
      "transactions.hash as transaction_hash",
      "block_number",
      "block_hash",
      "block_time",
      "validator",
    ])
    .where("transactions.state", "=", "confirmed")
    .orderBy("anchors.id")
    .execute();
  for (const { id, hash, size, transaction_hash, block_number, block_hash, block_time, validator } of confirmed) {
    if (
      hash === null ||
      transaction_hash === null ||
      block_number === null ||
      block_hash === null ||
      block_time === null
    )
      continue;
    sequence += 1;
    const block = {
      blockNumber: block_number,
      blockHash: block_hash,
      blockTime: block_time,
      validator: validator ?? "",
    };
    append(
      confirmationLine({
        sequence,
        anchor: id,
        batch: id,
        firstLeaf: 0,
        hash,
        size,
        sealed: null,
        transactionHash: transaction_hash,
        ...block,
      }),
    );
    await db
      .insertInto("confirmations")
      .values({
        sequence,
        anchor_id: id,
        batch_id: id,
        first_leaf: 0,
        hash,
        size,
        transaction_hash,
        block_number,
        block_hash,
        block_time,
        validator: validator ?? "",
        digest,
      })
      .execute();
    await db.updateTable("anchors_3").set({ confirmation: sequence }).where("id", "=", id).execute();
  }

  for (const account of await db
    .selectFrom("accounts")
    .selectAll()
    .orderBy("created_at")
    .orderBy("address")
    .execute()) {
    sequence += 1;
    append(
      accountLine({ sequence, address: account.address, keystore: account.keystore, createdAt: account.created_at }),
    );
    await db
      .insertInto("accounts_3")
      .values({ ...account, sequence, digest })
      .execute();
  }
  await db.updateTable("journal_head").set({ sequence, digest, proofs }).execute();
}

async function copyAnchors(db: Kysely<Tables>): Promise<void> {
  await sql`
    insert into anchors_3 (id, batch_id, first_leaf, last_leaf, first_sequence, last_sequence, hash, size, transaction_id, relayer, opened_at)
    select id, id, 0, case when transaction_id is null then 999 when size = 0 then 0 else size - 1 end, 0, 0, hash, size, transaction_id, relayer, opened_at
    from anchors order by id`.execute(db);
}

/** Whether an earlier proof has the same place. */
async function sharesPlace(db: Kysely<Tables>, row: Tables["proofs"]): Promise<boolean> {
  const earlier = await db
    .selectFrom("proofs")
    .select("sequence")
    .where("anchor_id", "=", row.anchor_id)
    .where("leaf_index", "=", row.leaf_index)
    .where("sequence", "<", row.sequence)
    .limit(1)
    .executeTakeFirst();
  return earlier !== undefined;
}

async function labelOf(
  db: Kysely<Tables>,
  known: Map<string, number>,
  type: string | null,
  source: string | null,
): Promise<number | null> {
  if (type === null && source === null) return null;
  const text = JSON.stringify([type, source]);
  const id =
    known.get(text) ??
    (await db.insertInto("proof_labels").values({ text }).returning("id").executeTakeFirstOrThrow()).id;
  known.set(text, id);
  return id;
}
