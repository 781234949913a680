import { type Database, isPostgres } from "../engine/database.ts";
import type { ProofEntry } from "../entries/codec.ts";
import * as postgres from "./postgres-index.ts";
import { type KeyedProof, type KeyKind, type KeyRange, keysOf } from "./proof-key.ts";
import * as sqlite from "./sqlite-index.ts";

/**
 * The index of proofs leads from keys to candidates, which are compared in their texts: a key that leads to another
 * entry changes no result.
 */

/**
 * Inserts the keys of proofs; inside the transaction that appends them.
 * @param before The newest entry before the append
 * @param now The newest entry after it
 */
export async function insertKeys(
  transaction: Database,
  proofs: readonly ProofEntry[],
  before: number,
  now: number,
): Promise<void> {
  const keyed = proofs.map((proof) => ({ sequence: proof.sequence, keys: keysOf(proof) }));
  await engineOf(transaction).insertKeys(transaction, keyed, before, now);
}

/**
 * Writes the keys of proofs anew, of which some are not as they were inserted.
 * @param now The newest entry
 */
export async function replaceKeys(transaction: Database, proofs: readonly ProofEntry[], now: number): Promise<void> {
  // A row has all keys of a proof there, and would be a second one.
  if (isPostgres(transaction)) await postgres.deleteKeys(transaction, proofs);
  await insertKeys(transaction, proofs, now, now);
}

/** Returns the entries with one of the keys, ascending, each once; only those from one entry to another. */
export async function entriesWith(
  database: Database,
  kind: KeyKind,
  keys: readonly number[],
  from = 0,
  to = Number.MAX_SAFE_INTEGER,
): Promise<number[]> {
  const wanted = [...new Set(keys)];
  const found = await engineOf(database).find(database, kind, wanted, from, to);
  return [...new Set(found.map(({ sequence }) => sequence))].sort((a, b) => a - b);
}

/**
 * Returns the entries of proofs that are not found by their own key of a kind.
 * @param proofs In the order of their entries
 */
export async function notFoundBy(database: Database, kind: KeyKind, proofs: readonly KeyedProof[]): Promise<number[]> {
  const { find, stored } = engineOf(database);
  // A document can have very many proofs: those of other entries are of no interest.
  const [first = 0, last = 0] = [proofs[0]?.sequence, proofs.at(-1)?.sequence];
  const keys = [...new Set(proofs.map((proof) => proof.keys[kind]))];
  const found = new Set(
    (await find(database, kind, keys, first, last)).map(({ key, sequence }) => `${key} ${sequence}`),
  );
  return proofs
    .filter((proof) => !found.has(`${stored(kind, proof.keys[kind])} ${proof.sequence}`))
    .map(({ sequence }) => sequence);
}

/**
 * Returns entries with a key, ascending: the newest before an entry, or the oldest after one. A document can have very
 * many proofs: it reads no more than these.
 */
export async function someWith(database: Database, kind: KeyKind, key: number, range: KeyRange): Promise<number[]> {
  return (await engineOf(database).page(database, kind, key, range)).sort((a, b) => a - b);
}

/** Returns the newest entry before another one with each of the keys, as far as there is one. */
export async function newestOfEach(
  database: Database,
  kind: KeyKind,
  keys: readonly number[],
  before: number,
): Promise<Map<number, number>> {
  return engineOf(database).newestOfEach(database, kind, [...new Set(keys)], before);
}

function engineOf(database: Database) {
  return isPostgres(database) ? postgres : sqlite;
}
