import { yieldToEventLoop } from "../../kit/event-loop.ts";
import type { Database } from "../engine/database.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { hashesUnder } from "../integrity/stored-anchor.ts";
import type { ProofEntry } from "./codec.ts";
import { entryOf } from "./entry-source.ts";
import { rowsBetween } from "./journal-rows.ts";

/** Rows that are read before other requests are served. */
const ROWS_AT_ONCE = 10;

/**
 * Reads the proofs under an anchor from its first one on, until each of its leaves has one, or to the end of the
 * journal. A later proof that shares a leaf is found by its recorded hash only.
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
    .select(["first_sequence as first", "hash", "size"])
    .where("id", "=", anchor)
    .executeTakeFirst();
  if (found === undefined) return [];
  const count = found.hash === null ? Infinity : hashesUnder(found);
  const proofs: ProofEntry[] = [];
  const leaves = new Set<number>();
  const ending = `"anchor":${anchor},`;
  let rows = 0;
  for await (const row of rowsBetween(database, key, found.first - 1, Number.MAX_SAFE_INTEGER)) {
    for (const { sequence, text } of row.lines()) {
      // Others are not decoded: many batches can be written while one is open.
      if (sequence < found.first || !text.includes(ending)) continue;
      const entry = entryOf(sequence, text);
      if (entry.kind !== "proof" || entry.anchor !== anchor) continue;
      proofs.push(entry);
      leaves.add(entry.leaf);
    }
    if (leaves.size >= count) break;
    if ((rows += 1) % ROWS_AT_ONCE === 0) await yieldToEventLoop();
  }
  return proofs;
}
