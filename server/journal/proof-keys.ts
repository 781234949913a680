import { sql } from "kysely";
import type { Database } from "./database.ts";
import { KEY_RANGE } from "./proof-key.ts";

/**
 * What proofs are found by. A key is the first bits of a hash and says where a proof may be; whoever looks compares the
 * whole. Hashes fall on pages at random, and to write a page for each would cost more than everything else. So keys
 * are gathered in a small table, `proof_keys_recent`, and brought slice by slice into the large one, `proof_keys`, each
 * time many to a page.
 */

const SLICES = 256;
const SLICE_SIZE = KEY_RANGE / SLICES;
/** Entries after which the next slice is brought over. */
const ENTRIES_A_SLICE = 256;

/**
 * Brings keys to where they stay, after entries were written; part of the transaction that wrote them.
 * @param before The newest entry before
 * @param now The newest entry now
 */
export async function settleKeys(transaction: Database, before: number, now: number): Promise<void> {
  const last = Math.floor(now / ENTRIES_A_SLICE);
  const first = Math.max(Math.floor(before / ENTRIES_A_SLICE) + 1, last - SLICES + 1);
  for (let turn = first; turn <= last; turn += 1) {
    const from = (turn % SLICES) * SLICE_SIZE;
    const to = from + SLICE_SIZE;
    await sql`insert into proof_keys select key, sequence from proof_keys_recent where key >= ${from} and key < ${to} order by key, sequence`.execute(transaction);
    await sql`delete from proof_keys_recent where key >= ${from} and key < ${to}`.execute(transaction);
  }
}
