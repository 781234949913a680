import type { Database } from "../engine/database.ts";
import type { ProofEntry } from "../entries/codec.ts";
import { recordHash } from "../integrity/record-hash.ts";
import type { KeyLookups } from "./key-lookups.ts";
import { documentKey, keyOf } from "./proof-key.ts";

const KEYS = [
  { by: "recordHash", of: (proof: ProofEntry) => keyOf(recordHash(proof)) },
  { by: "hash", of: (proof: ProofEntry) => keyOf(proof.hash) },
  { by: "document", of: (proof: ProofEntry) => documentKey(proof.documentId) },
] as const;

/** Kinds of keys that find a proof. */
export type KeyKind = (typeof KEYS)[number]["by"];

/** A proof that is not found by one of its keys. */
interface MissingKey {
  readonly sequence: number;
  readonly by: KeyKind;
}

/**
 * Looks proofs up by each of their keys. Returns the keys that do not lead to their proof.
 * @param proofs In the order of their entries
 */
export async function missingKeys(
  database: Database,
  lookups: KeyLookups,
  proofs: readonly ProofEntry[],
): Promise<MissingKey[]> {
  const missing: MissingKey[] = [];
  // A document can have very many proofs: those of other entries are of no interest.
  const [first, last] = [proofs[0]?.sequence, proofs.at(-1)?.sequence];
  for (const { by, of } of KEYS) {
    const found = new Set(await lookups.numbersOf(database, proofs.map(of), first, last));
    for (const { sequence } of proofs) if (!found.has(sequence)) missing.push({ sequence, by });
  }
  return missing;
}
