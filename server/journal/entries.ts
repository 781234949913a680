import { GENESIS_DIGEST, type JournalLine, nextDigest } from "../domain/journal/entry.ts";
import type { Database } from "./database.ts";
import { linkOf } from "./entry-log.ts";
import { type JournalEntry, lineOf } from "./lines.ts";
import { LabelReader } from "./proof-labels.ts";

/** An entry as it is stored: what it says, and what of its digest is stored with it. */
export interface StoredEntry {
  readonly entry: JournalEntry;
  /** The digest, or the first bytes of it. */
  readonly link: Uint8Array;
  /** Whether it is a proof that shares the leaf of another. */
  readonly isAlike: boolean;
}

/** Entries in their order. */
export async function readEntries(database: Database, after: number, limit: number): Promise<StoredEntry[]> {
  const [proofs, confirmations, accounts] = await Promise.all([
    database
      .selectFrom("proofs")
      .leftJoin("proof_labels", "proof_labels.id", "proofs.label_id")
      .selectAll("proofs")
      .select("proof_labels.text as label")
      .where("sequence", ">", after)
      .where("sequence", "<=", after + limit)
      .orderBy("sequence")
      .execute(),
    database
      .selectFrom("confirmations")
      .selectAll()
      .where("sequence", ">", after)
      .where("sequence", "<=", after + limit)
      .orderBy("sequence")
      .execute(),
    database
      .selectFrom("accounts")
      .select(["sequence", "address", "keystore", "created_at", "digest"])
      .where("sequence", ">", after)
      .where("sequence", "<=", after + limit)
      .orderBy("sequence")
      .execute(),
  ]);
  const labels = new LabelReader();
  const entries: StoredEntry[] = proofs.map((row) => {
    const { type, source } = labels.read(row.label);
    return {
      entry: {
        kind: "proof",
        sequence: row.sequence,
        documentId: row.document_id,
        hash: row.hash,
        timestamp: row.timestamp,
        type,
        source,
        metadata: row.metadata,
        acceptedAt: row.accepted_at,
        batch: row.batch_id,
        leaf: row.leaf_index,
      },
      link: row.link,
      isAlike: row.alike === 1,
    };
  });
  for (const row of confirmations) {
    entries.push({
      entry: {
        kind: "confirmation",
        sequence: row.sequence,
        anchor: row.anchor_id,
        batch: row.batch_id,
        firstLeaf: row.first_leaf,
        hash: row.hash,
        size: row.size,
        sealed: row.sealed,
        transactionHash: row.transaction_hash,
        blockNumber: row.block_number,
        blockHash: row.block_hash,
        blockTime: row.block_time,
        validator: row.validator,
      },
      link: row.digest,
      isAlike: false,
    });
  }
  for (const { sequence, address, keystore, created_at: createdAt, digest } of accounts) {
    entries.push({ entry: { kind: "account", sequence, address, keystore, createdAt }, link: digest, isAlike: false });
  }
  return confirmations.length + accounts.length === 0 ? entries : entries.sort((a, b) => a.entry.sequence - b.entry.sequence);
}

/** Entries read at once on the way to a digest. */
const ENTRIES_AT_ONCE = 1000;

/**
 * The whole digest of an entry: that of the nearest one before which is stored whole, and from there on.
 * @throws RangeError when there is no such entry, or what is stored does not fit together
 */
export async function digestAt(database: Database, sequence: number): Promise<Uint8Array> {
  let { sequence: at, digest } = await nearestWhole(database, sequence);
  while (at < sequence) {
    const entries = await readEntries(database, at, Math.min(ENTRIES_AT_ONCE, sequence - at));
    for (const { entry, link } of entries) {
      digest = nextDigest(digest, lineOf(entry));
      at += 1;
      if (entry.sequence !== at || Buffer.compare(linkOf(digest), linkOf(link)) !== 0) {
        throw new RangeError(`entry ${at} of the journal is missing or was changed`);
      }
    }
    if (entries.length === 0) throw new RangeError(`the journal has no entry ${at + 1}`);
  }
  return digest;
}

/** The newest digest that is stored whole, of an entry up to one. */
export async function nearestWhole(database: Database, upTo: number): Promise<{ sequence: number; digest: Uint8Array }> {
  const head = await database.selectFrom("journal_head").select(["sequence", "digest"]).executeTakeFirstOrThrow();
  if (head.sequence === upTo) return head;
  const found = await Promise.all(
    (["confirmations", "accounts"] as const).map((table) =>
      database
        .selectFrom(table)
        .select(["sequence", "digest"])
        .where("sequence", "<=", upTo)
        .orderBy("sequence", "desc")
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  return found.reduce<{ sequence: number; digest: Uint8Array }>(
    (nearest, row) => (row !== undefined && row.sequence > nearest.sequence ? row : nearest),
    { sequence: 0, digest: GENESIS_DIGEST },
  );
}

/** The lines of entries, in their order. */
export async function readLines(database: Database, after: number, limit: number): Promise<JournalLine[]> {
  const entries = await readEntries(database, after, limit);
  return entries.map(({ entry }) => ({ sequence: entry.sequence, text: lineOf(entry) }));
}
