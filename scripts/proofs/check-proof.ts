import type { ConfirmedProof } from "../../client/index.ts";
import { recordHashOf } from "./proof-file.ts";

/**
 * Checks the internal consistency of a proof.
 * @returns The reason if the proof is inconsistent
 */
export function contradictionIn({ id, proof }: ConfirmedProof): string | undefined {
  const recomputed = recordHashOf(proof);
  if (recomputed !== proof.record_hash) {
    return "the proof was changed: document id, time, type and hash do not give its recorded hash";
  }
  if (id !== recomputed || proof.id !== recomputed) return "the proof was changed: its id is not its recorded hash";
  return undefined;
}

/** Whether a proof is of the file with this id, with any prefix. */
export function isAbout(id: string, { proof }: ConfirmedProof): boolean {
  return proof.document_id.endsWith(id);
}
