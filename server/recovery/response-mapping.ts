import type { LoggedAnchor } from "../chain/contracts/anchors.ts";
import { hex, prefixedHex } from "../kit/bytes.ts";
import type { ConfirmedProof } from "../proofs/index.ts";
import type * as responses from "./responses.ts";
import type { ComparedDocument, ComparisonResult } from "./running-verification.ts";
import type { InventoryDocument } from "./newest-proofs.ts";
import { isConfirmedBy } from "./verification.ts";

/** Maps a row of a comparison. */
export function toComparedDocument({ document, comparison }: ComparedDocument): responses.ComparedDocument {
  const { documentId: document_id } = document;
  const hash = hex(document.hash);
  // The order of the fields is part of the row's text, over which `rows_root` is computed.
  switch (comparison.result) {
    case "match":
      return { document_id, result: comparison.result, hash, ...toRecord(comparison.proof) };
    case "mismatch": {
      const { result, proof, earlier } = comparison;
      const older = earlier === undefined ? {} : { earlier: toRecord(earlier) };
      return { document_id, result, hash, recorded_hash: hex(proof.hash), ...toRecord(proof), ...older };
    }
    case "pending": {
      const { result, proof } = comparison;
      return { document_id, result, hash, recorded_hash: hex(proof.hash), id: hex(proof.recordHash) };
    }
    case "unrecorded": {
      const { result, reason, recordedAs } = comparison;
      return {
        document_id,
        result,
        hash,
        ...(reason === undefined ? {} : { reason }),
        ...(recordedAs.length === 0 ? {} : { recorded_as: recordedAs }),
      };
    }
  }
}

type Position = Pick<Extract<responses.ComparedDocument, { result: "match" }>, PositionField>;
type PositionField = "id" | "recorded_at" | "tx_hash" | "block_number";

/** Maps the position of a record on the chain. */
function toRecord({ recordHash, outcome }: ConfirmedProof): Position {
  const { transactionHash, block } = outcome;
  return {
    id: hex(recordHash),
    recorded_at: block.time,
    tx_hash: prefixedHex(transactionHash),
    block_number: block.number,
  };
}

export function toRecoveryVerification({
  id,
  asOf,
  finishedAt,
  totals,
  rowsRoot,
}: ComparisonResult): responses.RecoveryVerification {
  return {
    verification_id: id ?? null,
    as_of: asOf ?? null,
    finished_at: Math.floor(finishedAt / 1000),
    totals,
    rows_root: hex(rowsRoot),
  };
}

export function toRecordedDocument({ proof, fault }: InventoryDocument): responses.RecordedDocument {
  const { documentId: document_id, hash, metadata } = proof;
  const unknown = { id: hex(proof.recordHash), recorded_at: null, tx_hash: null, block_number: null };
  return {
    document_id,
    hash: hex(hash),
    metadata,
    ...(isConfirmedBy(proof, undefined) ? toRecord(proof) : unknown),
    ...(fault === undefined ? {} : { fault }),
  };
}

export function toUnknownAnchor({ hash, size, transactionHash, blockNumber }: LoggedAnchor): responses.UnknownAnchor {
  return { hash: hex(hash), size, tx_hash: prefixedHex(transactionHash), block_number: blockNumber };
}
