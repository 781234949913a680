import { yieldToEventLoop } from "../../kit/event-loop.ts";
import type { Database } from "../engine/database.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { hashesUnder } from "../integrity/stored-anchor.ts";
import type { ProofEntry } from "./codec.ts";
import { entryOf } from "./entry-source.ts";
import { newestSequence, rowsBetween } from "./journal-rows.ts";

/** Entries that are read at once after the first ones: other requests are served in between. */
const ENTRIES_AT_ONCE = 1_000;

/**
 * Reads the proofs under an anchor from its first one on, until each of its leaves has one, or to its confirmation; of
 * an open one to the end of the journal. A later proof that shares a leaf is found by its recorded hash only.
 * @returns in the order of the entries
 * @throws RangeError when a row between them is missing or was changed
 */
export async function proofsUnder(
  database: Database,
  key: JournalKey | undefined,
  anchor: number,
): Promise<ProofEntry[]> {
  const found = await database
    .selectFrom("anchors")
    .select(["first_sequence as first", "hash", "size", "checkpoint", "confirmation"])
    .where("id", "=", anchor)
    .executeTakeFirst();
  // No proof is under a checkpoint.
  if (found === undefined || found.checkpoint !== null) return [];
  const count = found.hash === null ? Infinity : hashesUnder(found);
  const end = Math.min(found.confirmation ?? Infinity, await newestSequence(database));
  const proofs: ProofEntry[] = [];
  const leaves = new Set<number>();
  const ending = `"anchor":${anchor},`;
  // Usually its proofs follow each other.
  let upTo = Math.min(end, found.first + Math.min(count, ENTRIES_AT_ONCE) - 1);
  for (let after = found.first - 1; after < end && leaves.size < count;) {
    let reached = after;
    for await (const row of rowsBetween(database, key, after, upTo)) {
      for (const { sequence, text } of row.lines()) {
        // Others are not decoded: many batches can be written while one is open.
        if (sequence <= after || !text.includes(ending)) continue;
        const entry = entryOf(sequence, text);
        if (entry.kind !== "proof" || entry.anchor !== anchor) continue;
        proofs.push(entry);
        leaves.add(entry.leaf);
      }
      reached = row.sequence;
    }
    if (reached === after) throw new RangeError(`entry ${after + 1} of the journal is missing`);
    after = reached;
    upTo = Math.min(end, Math.max(after, upTo) + ENTRIES_AT_ONCE);
    if (after < end && leaves.size < count) await yieldToEventLoop();
  }
  return proofs;
}
