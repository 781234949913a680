import { equalBytes, hex } from "../../kit/bytes.ts";
import type { ConfirmationEntry } from "../entries/codec.ts";
import type { JournalKey } from "./journal-key.ts";

/** The facts of a closed anchor: they never change. */
export interface ClosedAnchor {
  readonly id: number;
  /** The entry where reading its leaves begins. */
  readonly first_sequence: number;
  readonly hash: Uint8Array;
  readonly size: number;
  readonly checkpoint: number | null;
}

/** Computes the authentication code of an anchor's row. */
export function codeOfAnchor(key: JournalKey, anchor: ClosedAnchor): Uint8Array {
  const { id, first_sequence: first, hash, size, checkpoint } = anchor;
  return key.codeOfFacts("anchor", [id, first, hex(hash), size, checkpoint]);
}

/** Returns whether a relayer has written the row of an anchor; without a key it is taken as it is. */
export function isAnchorOf(
  key: JournalKey | undefined,
  { code, ...anchor }: ClosedAnchor & { readonly code: Uint8Array | null },
): boolean {
  return key === undefined || equalBytes(code, codeOfAnchor(key, anchor));
}

/** Returns whether an entry confirms an anchor as its row has it. */
export function isConfirmedBy(anchor: Omit<ClosedAnchor, "first_sequence">, entry: ConfirmationEntry): boolean {
  const { id, hash, size, checkpoint } = anchor;
  return entry.anchor === id && equalBytes(entry.hash, hash) && entry.size === size && entry.checkpoint === checkpoint;
}
