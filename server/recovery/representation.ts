import type { LoggedAnchor } from "../chain/contracts/anchor.ts";
import type { RecoveryVerification } from "./verification.ts";
import type { ComparedDocument, InventoryDocument } from "./service.ts";
import type { ConfirmedProof } from "./restored.ts";
import { hex, prefixedHex } from "../kit/hex.ts";

/** A row of a comparison as it is told. */
export function representCompared({ document, comparison }: ComparedDocument): object {
  const { documentId: document_id, hash } = document;
  const row = { document_id, result: comparison.result, hash: hex(hash) };
  switch (comparison.result) {
    case "match":
      return { ...row, ...representRecorded(comparison.proof) };
    case "mismatch": {
      const { proof, earlier } = comparison;
      const older = earlier === undefined ? {} : { earlier: representRecorded(earlier) };
      return { ...row, recorded_hash: hex(proof.hash), ...representRecorded(proof), ...older };
    }
    case "unrecorded": {
      const { reason, recordedAs } = comparison;
      return {
        ...row,
        ...(reason === undefined ? {} : { reason }),
        ...(recordedAs.length === 0 ? {} : { recorded_as: recordedAs }),
      };
    }
  }
}

/** Where and when something was recorded. */
function representRecorded({ recordHash, outcome }: ConfirmedProof): object {
  const { transactionHash, block } = outcome;
  return {
    id: hex(recordHash),
    recorded_at: block.time,
    tx_hash: prefixedHex(transactionHash),
    block_number: block.number,
  };
}

export function representVerification({ id, asOf, finishedAt, totals, rowsRoot }: RecoveryVerification): object {
  return {
    verification_id: id,
    as_of: asOf ?? null,
    finished_at: Math.floor(finishedAt / 1000),
    totals,
    rows_root: hex(rowsRoot),
  };
}

/** A recorded document. */
export function representDocument({ proof, fault }: InventoryDocument): object {
  const { documentId: document_id, hash, metadata } = proof;
  return {
    document_id,
    hash: hex(hash),
    metadata,
    ...representRecorded(proof),
    ...(fault === undefined ? {} : { fault }),
  };
}

/** An anchor that the journal lacks. */
export function representUnknownAnchor({ hash, size, transactionHash, blockNumber }: LoggedAnchor): object {
  return { hash: hex(hash), size, tx_hash: prefixedHex(transactionHash), block_number: blockNumber };
}
