import { stringify } from "csv-stringify/sync";
import { timeText } from "../time-text.ts";
import { type AuditedCall, verdictOf } from "./audit.ts";
import { type BatchRow, verdictOfRow } from "./batch.ts";
import { callReport } from "./report.ts";
import { printable } from "../../verifier/verify.mjs";

/** Formats a row of a batch as a line of JSON. */
export function jsonLine({ source, audited, fault, unread }: BatchRow): string {
  return JSON.stringify({ source, ...(audited === undefined ? { fault, undetermined: unread } : callReport(audited)) });
}

const COLUMNS = [
  ...["source", "block", "time", "contract", "function", "table", "row_id", "sender", "signer", "binding"],
  ...["state", "wrote", "passed", "failed", "code", "created_at", "topic", "payload", "warnings"],
] as const;

/** Formats a row of a batch as a line of text. */
export function textLine(found: BatchRow): string {
  const { source, audited, fault, unread } = found;
  if (audited === undefined)
    return printable(`${source} ${verdictOfRow(found).toUpperCase()} ${fault ?? unread ?? ""}`);
  const { decoded, isFromEvent, onChain, failed, undetermined, warnings } = audited;
  const verdict = verdictOf(audited);
  const reasons = [...failed, ...undetermined];
  const { row, arguments: args } = decoded;
  const parts = [
    source,
    verdict === "passed" ? verdict : verdict.toUpperCase(),
    ...(isFromEvent ? ["event"] : []),
    ...(onChain === undefined ? [] : [onChain.state]),
    `${args.tabname}/${args.rowid}`,
    row.sender,
    row.code,
    ...(reasons.length === 0 ? [] : [`(${reasons.join("; ")})`]),
    ...(warnings.length === 0 ? [] : [`[${warnings.join("; ")}]`]),
  ];
  return printable(parts.join(" "));
}

/** The first line of the CSV. */
export function csvHeader(): string {
  return stringify([COLUMNS]).trimEnd();
}

/** Formats a row of a batch as CSV. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvLine({ source, audited, fault, unread }: BatchRow): string {
  const cells: Partial<Record<(typeof COLUMNS)[number], string | number>> =
    audited === undefined
      ? { source, passed: unread === undefined ? "no" : "undetermined", failed: fault ?? unread ?? "" }
      : { source, ...cellsOf(audited) };
  return stringify([COLUMNS.map((name) => cells[name] ?? "")], { escape_formulas: true }).trimEnd();
}

function cellsOf(audited: AuditedCall): Partial<Record<(typeof COLUMNS)[number], string | number>> {
  const { checks, chain, row, warnings, ...call } = callReport(audited);
  return {
    block: chain?.block_number ?? "",
    time: audited.transaction?.block === undefined ? "" : timeText(audited.transaction.block.time),
    contract: chain?.contract ?? "",
    function: call.function ?? "",
    table: call.table,
    row_id: call.row_id,
    sender: row.sender,
    signer: checks.signer ?? "",
    binding: checks.binding ?? "",
    state: chain?.state ?? "",
    wrote: chain?.wrote ?? "",
    passed: checks.passed ? "yes" : checks.failed.length > 0 ? "no" : "undetermined",
    failed: [...checks.failed, ...checks.undetermined].join("; "),
    code: row.code,
    created_at: row.created_at,
    topic: row.topic,
    payload: JSON.stringify(row.payload),
    warnings: warnings.join("; "),
  };
}
