import { jsonInteger } from "./call-data/transaction-view.ts";
import { prefixedHex } from "../kit/hex.ts";
import type { RecordMarks, RecordRow } from "./record.ts";
import type { RecordLocation, RecordMark, RowChecks } from "./responses.ts";
import type { RowVerdict as Verdict } from "../http/record-store/responses.ts";
import type { RowVerdict } from "./row-audit.ts";
import type { RowChecks as Checks } from "./row-checks.ts";

export function toLocation({ rowId, transactionHash, blockNumber }: RecordRow): RecordLocation {
  return { chainid: jsonInteger(rowId), tx_hash: prefixedHex(transactionHash), block_number: blockNumber };
}

/** Returns the marks of the records that have any; nothing when none has. */
export function toMarks(rows: readonly RecordRow[]): { marks?: RecordMark[] } {
  const marks = rows.flatMap((row, event) =>
    row.overwrittenBy === undefined && row.replays === 0 ? [] : [{ event, ...marksOf(row) }],
  );
  return marks.length === 0 ? {} : { marks };
}

export function toChecks({ passed, signer, signedBySender, rowIdMatches }: Checks): RowChecks {
  return { passed, signer: signer ?? null, signed_by_sender: signedBySender, row_id_matches: rowIdMatches };
}

/** Returns `null` for a row that the index does not have. */
export function toVerdict(found: RowVerdict | undefined): Verdict | null {
  if (found === undefined) return null;
  const { verdict, original } = found;
  const { tableName, rowId, transactionHash, blockNumber } = original;
  return {
    verdict,
    table: tableName,
    chainid: jsonInteger(rowId),
    tx_hash: prefixedHex(transactionHash),
    block_number: blockNumber,
    ...marksOf(found),
  };
}

function marksOf({ overwrittenBy, replays, replayedBy }: RecordMarks): Omit<RecordMark, "event"> {
  return {
    overwritten_by: overwrittenBy === undefined ? null : prefixedHex(overwrittenBy),
    replays,
    replayed_by: replayedBy === undefined ? null : prefixedHex(replayedBy),
  };
}
