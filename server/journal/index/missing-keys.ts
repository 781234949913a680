import type { Database } from "../engine/database.ts";
import type { ProofEntry } from "../entries/codec.ts";
import { notFoundBy } from "./proof-index.ts";
import { KEY_KINDS, type KeyKind, keysOf } from "./proof-key.ts";

/** A proof that is not found by one of its keys. */
interface MissingKey {
  readonly sequence: number;
  readonly by: KeyKind;
}

/**
 * Looks proofs up by each of their keys. Returns the keys that do not lead to their proof.
 * @param proofs In the order of their entries
 */
export async function missingKeys(database: Database, proofs: readonly ProofEntry[]): Promise<MissingKey[]> {
  const keyed = proofs.map((proof) => ({ sequence: proof.sequence, keys: keysOf(proof) }));
  const missing: MissingKey[] = [];
  for (const by of KEY_KINDS)
    for (const sequence of await notFoundBy(database, by, keyed)) missing.push({ sequence, by });
  return missing;
}
