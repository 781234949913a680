import type { DecodedCallData } from "../server/records/call-data.ts";
import { checkRow, type RowChecks } from "../server/records/row-audit.ts";

/**
 * Formats decoded call data, one field per line.
 *
 * Record texts are untrusted: control characters and invisible characters are printed as their code points.
 */
export function callDataListing(decoded: DecodedCallData): string {
  const { row, arguments: args, filechain } = decoded;
  const checks = checkRow(decoded);
  const lines: [name: string, value: string][] = [
    ["function", decoded.function],
    ["table", args.tabname],
    ["row id", args.rowid.toString()],
    ["compressed", args.comp ? "yes" : "no"],
    ["stored bytes", args.rowdata.length.toString()],
    ["row data", filechain],
    ["row id in row", row.rowId],
    ["sender", row.sender],
    ["code", row.code],
    ["date", row.createdAt],
    ["topic", row.topic],
    ["format", row.format],
    ["signature", args.signature],
    ["signer", checks.signer ?? "none: the event table would not accept the signature"],
    ["signed by sender", checks.signedBySender ? "yes" : "no"],
    ["row id matches", checks.rowIdMatches ? "yes" : "no"],
    ["checks", checks.passed ? "passed" : "failed"],
  ];
  const width = Math.max(...lines.map(([name]) => name.length)) + 2;
  const fields = lines.map(([name, value]) => `${name}:`.padEnd(width) + visible(value));
  const payload = JSON.stringify(row.payload, null, 2)
    .split("\n")
    .map((line) => `  ${visible(line)}`);
  return [...fields, "payload:", ...payload].join("\n");
}

/** Names the checks that failed; empty when all passed. */
export function failedChecks({ signer, signedBySender, rowIdMatches }: RowChecks): string[] {
  return [
    ...(signer === undefined ? ["the event table would not accept the signature"] : []),
    ...(signer !== undefined && !signedBySender ? [`the signer ${signer} is not the sender named in the row`] : []),
    ...(rowIdMatches ? [] : ["the row id in the row is not that of the call"]),
  ];
}

function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
