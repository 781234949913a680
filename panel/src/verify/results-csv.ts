import { saveCsv } from "../components/save-csv.ts";
import { isoText } from "../format/moment.tsx";
import { texts } from "../texts/texts.ts";
import { otherName, reasonOf, timeOf, titleOf, trustOf } from "./reason.ts";
import type { Row } from "./verdict.ts";

/** Saves the results as a table for programs: codes and ISO times, and the words of the page beside them. */
export function saveResultsCsv(rows: readonly Row[]): void {
  const lines = rows.map((row) => {
    const { hash, verdict } = row;
    const time = timeOf(verdict);
    return {
      name: titleOf(texts.value, row),
      verdict: verdict?.kind,
      code: verdict !== undefined && "code" in verdict ? verdict.code : undefined,
      reason: verdict === undefined ? undefined : reasonOf(texts.value, verdict),
      time: time === undefined ? undefined : isoText(time),
      trusted: trustOf(texts.value, verdict),
      recorded_as: otherName(row),
      sha256: hash,
    };
  });
  saveCsv(lines, Object.keys(lines[0] ?? {}), "verification.csv");
}
