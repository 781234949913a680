import { follow, GENESIS, isLinkOf, type JournalHead, type JournalLine } from "../integrity/entry-chain.ts";
import type { Database } from "../engine/database.ts";
import { readHead } from "./journal-head.ts";
import { readEntries, type StoredEntry } from "./entry-rows.ts";
import { checkpointHashAt, readNodes } from "./digest-nodes.ts";
import { blocksIn, ENTRIES_PER_BLOCK } from "../integrity/digest-tree.ts";
import { equalBytes } from "../../kit/bytes.ts";
import { encodeEntry } from "./codec.ts";

/** Number of entries per query while a digest is computed. */
const ENTRIES_AT_ONCE = 1000;
/** Number of cached digests: a reader continues at the end of its last read. */
const KEPT = 16;

const NOTHING: ReadonlyMap<number, Uint8Array> = new Map();

/** The entries of the journal, as text. */
export interface JournalSource {
  /** Returns the newest entry; sequence 0 with {@link GENESIS_DIGEST} before the first one. */
  head(): Promise<JournalHead>;
  /**
   * Returns the entries after one, in order, at most `limit` of them.
   * @returns also the digest of the journal up to the entry `after`
   */
  lines(
    after: number,
    limit: number,
  ): Promise<{ readonly lines: readonly JournalLine[]; readonly previousDigest: Uint8Array }>;
  /**
   * Returns the digest of the journal up to an entry, {@link GENESIS_DIGEST} for 0; `undefined` for an entry that does
   * not exist.
   */
  digestAt(sequence: number): Promise<Uint8Array | undefined>;
}

/** The entries of the journal in its database. */
export interface EntryStore extends JournalSource {
  /** Computes the content of a checkpoint at an entry. */
  checkpointHash(head: JournalHead): Promise<Uint8Array>;
}

/** Reads the journal from its database. */
export function journalSource(database: Database): EntryStore {
  const kept = new Map<number, Uint8Array>();

  const digestAt = async (sequence: number): Promise<Uint8Array | undefined> => {
    const newest = await head(database);
    if (sequence > newest.sequence) return undefined;
    const digest =
      kept.get(sequence) ??
      (await digestFrom(database, await nearestBefore(database, newest, kept, sequence), sequence));
    kept.delete(sequence);
    kept.set(sequence, digest);
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT) break;
      kept.delete(oldest);
    }
    return digest;
  };

  return {
    head: () => head(database),
    async lines(after, limit) {
      const previousDigest = await digestAt(after);
      if (previousDigest === undefined) throw new RangeError(`the journal has no entry ${after}`);
      const entries = await readEntries(database, after, limit);
      return {
        previousDigest,
        lines: entries.map(({ entry }) => ({ sequence: entry.sequence, text: encodeEntry(entry) })),
      };
    },
    digestAt,
    checkpointHash: (newest) => checkpointHashAt(database, newest),
  };
}

async function head(database: Database): Promise<JournalHead> {
  const { sequence, digest } = await readHead(database);
  return { sequence, digest };
}

/**
 * Computes the digest of an entry from an earlier one with a known digest.
 * @param known Digests that entries between have to give
 * @throws RangeError when an entry between is missing or does not give its digest
 */
export async function digestFrom(
  database: Database,
  from: JournalHead,
  sequence: number,
  known: ReadonlyMap<number, Uint8Array> = NOTHING,
): Promise<Uint8Array> {
  let at = from;
  while (at.sequence < sequence) {
    const limit = Math.min(ENTRIES_AT_ONCE, sequence - at.sequence);
    const entries = await readEntries(database, at.sequence, limit);
    const blocks = await readBlocks(database, at.sequence, at.sequence + limit);
    if (entries.length === 0) throw new RangeError(`the journal has no entry ${at.sequence + 1}`);
    at = followAll(at, entries, blocks, known);
  }
  return at.digest;
}

/** Reads the digests of the blocks that end in a range of entries, by their last entry. */
export async function readBlocks(database: Database, after: number, last: number): Promise<Map<number, Uint8Array>> {
  if (blocksIn(after) === blocksIn(last)) return new Map();
  const rows = await database
    .selectFrom("digest_nodes")
    .select(["number", "digest"])
    .where("level", "=", 0)
    .where("number", ">=", blocksIn(after))
    .where("number", "<", blocksIn(last))
    .execute();
  return new Map(rows.map(({ number, digest }) => [(number + 1) * ENTRIES_PER_BLOCK, digest]));
}

/**
 * Follows entries from one with a known digest.
 * @param blocks The stored digests of the blocks that they complete, by their last entry
 * @param known Other digests that they have to give
 * @throws RangeError when an entry is missing, or does not give its stored digest or that of its block
 */
export function followAll(
  from: JournalHead,
  entries: readonly StoredEntry[],
  blocks: ReadonlyMap<number, Uint8Array>,
  known: ReadonlyMap<number, Uint8Array> = NOTHING,
): JournalHead {
  let at = from;
  for (const { entry, link } of entries) {
    const next = follow(at, { sequence: entry.sequence, text: encodeEntry(entry) });
    if (next === undefined || !isLinkOf(next.digest, entry.kind, link)) {
      throw new RangeError(`entry ${at.sequence + 1} of the journal is missing or was changed`);
    }
    at = next;
    if (at.sequence % ENTRIES_PER_BLOCK === 0 && !equalBytes(blocks.get(at.sequence), at.digest)) {
      throw new RangeError(`the stored digest of the entries up to ${at.sequence} is missing or was changed`);
    }
    const expected = known.get(at.sequence);
    if (expected !== undefined && !equalBytes(expected, at.digest))
      throw new RangeError(`the entries up to ${at.sequence} are not those that a relayer has written`);
  }
  return at;
}

/** Returns the newest entry up to `upTo` with a stored whole digest. */
export async function nearestWhole(database: Database, upTo: number): Promise<JournalHead> {
  return nearestBefore(database, await head(database), new Map(), upTo);
}

/** Returns the newest entry up to `upTo` with a whole digest, stored or cached. */
async function nearestBefore(
  database: Database,
  newest: JournalHead,
  kept: ReadonlyMap<number, Uint8Array>,
  upTo: number,
): Promise<JournalHead> {
  if (newest.sequence === upTo) return newest;
  const stored = await Promise.all(
    (["confirmations", "accounts", "issuer_keys", "notices"] as const).map((table) =>
      database
        .selectFrom(table)
        .select(["sequence", "digest"])
        .where("sequence", "<=", upTo)
        .orderBy("sequence", "desc")
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  const [block] = await readNodes(database, [{ level: 0, number: blocksIn(upTo) - 1 }]);
  const complete = block && { sequence: (block.number + 1) * ENTRIES_PER_BLOCK, digest: block.digest };
  const known = [...stored, complete, ...Array.from(kept, ([sequence, digest]) => ({ sequence, digest }))];
  return known.reduce<JournalHead>(
    (nearest, each) =>
      each !== undefined && each.sequence <= upTo && each.sequence > nearest.sequence ? each : nearest,
    GENESIS,
  );
}
