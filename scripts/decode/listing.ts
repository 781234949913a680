import { timeText } from "../time-text.ts";
import { type AuditedCall, verdictOf } from "./audit.ts";
import { printable } from "../../verifier/verify.mjs";

const WROTE = { first: "the first row of its number", overwrite: "over another row" } as const;
const BINDING = {
  place: "bound to chain, contract, table and row id",
  none: "over the row data alone: bound to no place",
  contract: "of a contract account (ERC-1271)",
} as const;
const NOT_CHECKED = "not checked";

/**
 * Formats audited call data, one field per line.
 *
 * Record texts are untrusted: control characters and invisible characters are printed as their code points.
 */
export function callListing(call: AuditedCall): string {
  const { decoded, checks, contract, transaction, isFromEvent, onChain, warnings } = call;
  const { row, arguments: args, filechain } = decoded;
  const isChecked = checks.signatureChecked;
  const lines: [name: string, value: string | undefined][] = [
    ["transaction", transaction?.hash],
    ["block", transaction?.block && `${transaction.block.number}, ${timeText(transaction.block.time)}`],
    ["contract", contract && `${contract.address} on chain ${contract.chainId}`],
    ["function", isFromEvent ? "none: a contract wrote the row, and its event has it" : decoded.function],
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
    ["signer", checks.signer ?? (isChecked ? "none: no event table would accept the signature" : NOT_CHECKED)],
    ["signature is", checks.binding && BINDING[checks.binding]],
    ["signed by sender", isChecked ? (checks.signedBySender ? "yes" : "no") : NOT_CHECKED],
    ["row id matches", checks.rowIdMatches ? "yes" : "no"],
    ["on chain", onChain?.state],
    ["written", onChain?.wrote && WROTE[onChain.wrote]],
    ["checks", verdictOf(call)],
    ...warnings.map((warning): [string, string] => ["warning", warning]),
  ];
  const shown = lines.filter((line): line is [string, string] => line[1] !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length)) + 2;
  const fields = shown.map(([name, value]) => `${name}:`.padEnd(width) + printable(value));
  const payload = JSON.stringify(row.payload, null, 2)
    .split("\n")
    .map((line) => `  ${printable(line)}`);
  return [...fields, "payload:", ...payload].join("\n");
}
