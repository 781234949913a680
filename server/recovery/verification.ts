import { hex } from "../kit/hex.ts";
import type { Totals } from "./restored.ts";

/** A finished comparison of restored documents with their records. */
export interface RecoveryVerification {
  readonly id: string;
  /** Unix seconds; later records are ignored. */
  readonly asOf: number | undefined;
  /** The newest entry of the journal at the start: later documents do not count as missing. */
  readonly newestEntry: number;
  /** Unix milliseconds. */
  readonly finishedAt: number;
  readonly totals: Totals;
  /** Merkle root over the returned rows. */
  readonly rowsRoot: Uint8Array;
}

/** A comparison as its entry has it. */
export interface RecordedVerification extends RecoveryVerification {
  /** Covers its documents. */
  readonly documents: Uint8Array;
  /** The issuer's signature over {@link resultText}; `undefined` when nothing could be signed as it ended. */
  readonly signed: string | undefined;
}

/** A comparison whose result is what the issuer signed when it ended. */
export interface SignedVerification extends RecoveryVerification {
  /** Compact JWS over {@link resultText}. */
  readonly signed: string;
}

/** The type of the JWS over a result. */
export const RESULT_TYPE = "sealbook-comparison+jws";

/** Returns the text of a result that is signed. */
export function resultText({ id, asOf, finishedAt, totals, rowsRoot }: RecoveryVerification): string {
  const { documents, match, mismatch, unrecorded } = totals;
  return JSON.stringify({
    verification_id: id,
    as_of: asOf ?? null,
    finished_at: finishedAt,
    totals: { documents, match, mismatch, unrecorded },
    rows_root: hex(rowsRoot),
  });
}

/** The entry of a finished comparison. */
export interface FoundVerification {
  readonly id: string;
  readonly sequence: number;
}
