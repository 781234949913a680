import { yieldToEventLoop } from "../../server/kit/event-loop.ts";
import type { Finding, KeyKind, EntryRange } from "./finding.ts";
import { KeySums } from "./key-sums.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { storedRows } from "../../server/journal/entries/journal-rows.ts";
import { entriesOf } from "./row-chain.ts";
import { newestSequence } from "../../server/journal/entries/entry-log.ts";
import type { IndexedKey } from "../../server/journal/index/key-codec.ts";
import type { ProofEntry } from "../../server/journal/entries/codec.ts";
import { documentKey, keyOf, storedKeys } from "../../server/journal/index/proof-key.ts";
import { KeyCheck } from "../../server/journal/index/key-guard.ts";
import { SLICES } from "../../server/journal/index/key-sums.ts";

/** Maximum number of ranges whose keys are compared one by one; further ranges are only reported as different. */
const MOST_RANGES = 64;
const KEYS_A_PROOF = 3;

/** Returns the keys of a proof. */
export function keysOf({ documentId, hash }: ProofEntry, recorded: Uint8Array): [key: number, by: KeyKind][] {
  // Duplicate keys are stored once.
  return [
    ...new Map<number, KeyKind>([
      [keyOf(recorded), "recordHash"],
      [keyOf(hash), "hash"],
      [documentKey(documentId), "document"],
    ]),
  ];
}

/** The expected keys. */
export interface KeyExpectation {
  /** Sums over the keys of the entries. */
  readonly sums: KeySums;
  /** The entries that were summed one by one. */
  readonly entries: EntryRange;
  /** Whether the sums include the keys of earlier entries. */
  readonly hasEarlier: boolean;
  readonly proofs: number;
}

/**
 * Compares the stored keys with the expected keys of the proofs: every expected key is stored, and no other.
 * @param onProgress Receives the number of keys read
 */
export async function checkKeys(
  database: Database,
  { sums, entries, hasEarlier, proofs }: KeyExpectation,
  report: (finding: Finding) => void,
  onProgress: (done: number) => void = () => undefined,
): Promise<void> {
  const { first, last } = entries;
  const stored = new KeySums(first, sums.seeds);
  const later: IndexedKey[] = [];
  let done = 0;
  for await (const some of storedKeys(database, KEYS_A_PROOF * proofs)) {
    for (const each of some) {
      if (each.sequence <= last) stored.add(each.key, each.sequence);
      else later.push(each);
    }
    onProgress((done += some.length));
    await yieldToEventLoop();
  }
  // Entries written during the check are not checked, but they must exist.
  const newest = await newestSequence(database);
  for (const { key, sequence } of later) if (sequence > newest) report({ kind: "key_stray", sequence, key });
  if (hasEarlier && !sums.isSameEarlier(stored))
    report({ kind: "keys_differ", entries: { first: Math.min(1, first - 1), last: first - 1 } });

  const differing = sums.differences(stored).map((range) => ({ ...range, last: Math.min(range.last, last) }));
  const named = differing.slice(0, MOST_RANGES);
  if (named.length > 0) await nameKeys(database, named, proofs, report);
  for (const range of differing.slice(MOST_RANGES)) report({ kind: "keys_differ", entries: range });
}

/**
 * Compares the keys of each slice of the index with the sums that were written with them.
 * @param onProgress Receives the number of slices
 */
export async function checkSums(
  database: Database,
  report: (finding: Finding) => void,
  onProgress: (done: number) => void,
): Promise<void> {
  const check = new KeyCheck(database);
  for (let slice = 0; slice < SLICES; slice += 1) {
    if (!(await check.isSliceWhole(slice))) report({ kind: "sums_differ", slice });
    onProgress(slice + 1);
    await yieldToEventLoop();
  }
}

/** Compares key by key. */
async function nameKeys(
  database: Database,
  ranges: readonly EntryRange[],
  proofs: number,
  report: (finding: Finding) => void,
): Promise<void> {
  const expected = new Map<number, Map<number, KeyKind>>();
  for (const { first, last } of ranges) {
    for await (const row of storedRows(database, first - 1, last)) {
      for (const entry of entriesOf(row)) {
        if (entry.kind === "proof" && entry.sequence >= first && entry.sequence <= last)
          expected.set(entry.sequence, new Map(keysOf(entry, recordHash(entry))));
      }
    }
  }
  const strays: IndexedKey[] = [];
  const isIn = (sequence: number): boolean => ranges.some(({ first, last }) => sequence >= first && sequence <= last);
  for await (const some of storedKeys(database, KEYS_A_PROOF * proofs)) {
    for (const { key, sequence } of some) {
      if (isIn(sequence) && expected.get(sequence)?.delete(key) !== true) strays.push({ key, sequence });
    }
  }
  for (const [sequence, left] of expected)
    for (const by of left.values()) report({ kind: "key_missing", sequence, by });
  for (const { key, sequence } of strays) report({ kind: "key_stray", sequence, key });
}
