import { hash as digest } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "./database.ts";

/**
 * What proofs are found by. A key is the first bits of a hash and says where a proof may be; whoever looks compares the
 * whole. Hashes fall on pages at random, and to write a page for each would cost more than everything else. So keys
 * are gathered in a small table, `proof_keys_recent`, and brought slice by slice into the large one, `proof_keys`, each
 * time many to a page.
 */

/** By what a proof can be found. */
export const KEY_KINDS = { recordHash: 0, hash: 1, document: 2 } as const;
type KeyKind = keyof typeof KEY_KINDS;

const KINDS_ROOM = 4;
/** With the kind 44 bits: the largest whole numbers that an engine keeps in six bytes have 47. */
const PREFIX_BITS = 42;
/** All keys are less than this. */
export const KEY_ROOM = 2 ** PREFIX_BITS * KINDS_ROOM;
const SLICES = 256;
const SLICE_SIZE = KEY_ROOM / SLICES;
/** Entries after which the next slice is brought over. */
const ENTRIES_A_SLICE = 256;

/** The key of a hash of at least six bytes. */
export function keyOf(kind: KeyKind, hash: Uint8Array): number {
  const bytes = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength);
  const prefix = Math.floor(bytes.readUIntBE(0, 6) / 2 ** (48 - PREFIX_BITS));
  return prefix * KINDS_ROOM + KEY_KINDS[kind];
}

export function documentKey(documentId: string): number {
  return keyOf("document", digest("sha256", documentId, "buffer"));
}

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
