import type { ConfirmedProof } from "../../client/index.ts";
import { recordHashOf } from "./proof-file.ts";

/**
 * Whether a proof holds together, with nothing else asked.
 * @returns what is wrong with it
 */
export function contradictionIn({ id, proof }: ConfirmedProof): string | undefined {
  const recomputed = recordHashOf(proof);
  if (recomputed !== proof.record_hash) {
    return "the proof was changed: document id, time, type and hash do not make its recorded hash";
  }
  if (id !== recomputed || proof.id !== recomputed) return "the proof was changed: its id is not its recorded hash";
  return undefined;
}

/** Whether a proof was made for the file of this name, whatever came before it as a prefix. */
export function isAbout(id: string, { proof }: ConfirmedProof): boolean {
  return proof.document_id.endsWith(id);
}
