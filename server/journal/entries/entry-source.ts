import { GENESIS_DIGEST, nextDigest } from "./entry.ts";
import type { JournalHead, JournalSource } from "./source.ts";
import type { Database } from "../engine/database.ts";
import { linkOf } from "./entry-log.ts";
import { readEntries } from "./entry-rows.ts";
import { lineOf } from "./codec.ts";

/** Entries read at once on the way to a digest. */
const ENTRIES_AT_ONCE = 1000;
/** Digests that are kept: whoever reads on asks for the one where it stopped. */
const KEPT = 16;

/** The journal, as whoever copies it needs it. */
export function journalSource(database: Database): JournalSource {
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
      return { previousDigest, lines: entries.map(({ entry }) => ({ sequence: entry.sequence, text: lineOf(entry) })) };
    },
    digestAt,
  };
}

function head(database: Database): Promise<JournalHead> {
  return database.selectFrom("journal_head").select(["sequence", "digest"]).executeTakeFirstOrThrow();
}

/**
 * The digest of an entry, computed from an earlier one whose digest is known.
 * @throws RangeError when one between is missing, or is not what its digest was made over
 */
export async function digestFrom(database: Database, from: JournalHead, sequence: number): Promise<Uint8Array> {
  let { sequence: at, digest } = from;
  while (at < sequence) {
    const entries = await readEntries(database, at, Math.min(ENTRIES_AT_ONCE, sequence - at));
    if (entries.length === 0) throw new RangeError(`the journal has no entry ${at + 1}`);
    for (const { entry, link } of entries) {
      digest = nextDigest(digest, lineOf(entry));
      at += 1;
      if (entry.sequence !== at || Buffer.compare(linkOf(digest), linkOf(link)) !== 0) {
        throw new RangeError(`entry ${at} of the journal is missing or was changed`);
      }
    }
  }
  return digest;
}

/** The newest of the entries up to one whose digest is stored whole. */
export async function nearestWhole(database: Database, upTo: number): Promise<JournalHead> {
  return nearestBefore(database, await head(database), new Map(), upTo);
}

/** The newest of the entries up to one whose digest is stored whole, or kept here. */
async function nearestBefore(
  database: Database,
  newest: JournalHead,
  kept: ReadonlyMap<number, Uint8Array>,
  upTo: number,
): Promise<JournalHead> {
  if (newest.sequence === upTo) return newest;
  const stored = await Promise.all(
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
  const known = [...stored, ...Array.from(kept, ([sequence, digest]) => ({ sequence, digest }))];
  return known.reduce<JournalHead>(
    (nearest, each) =>
      each !== undefined && each.sequence <= upTo && each.sequence > nearest.sequence ? each : nearest,
    { sequence: 0, digest: GENESIS_DIGEST },
  );
}
