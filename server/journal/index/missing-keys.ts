import type { Database } from "../engine/database.ts";
import type { ProofEntry } from "../entries/codec.ts";
import { entriesWith } from "./proof-index.ts";
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
  // A document can have very many proofs: those of other entries are of no interest.
  const [first, last] = [proofs[0]?.sequence, proofs.at(-1)?.sequence];
  const missing: MissingKey[] = [];
  for (const by of KEY_KINDS) {
    const keys = keyed.map((proof) => proof.keys[by]);
    const found = new Set(await entriesWith(database, by, keys, first, last));
    for (const { sequence } of proofs) if (!found.has(sequence)) missing.push({ sequence, by });
  }
  return missing;
}
