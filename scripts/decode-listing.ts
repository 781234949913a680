import type { DecodedCallData } from "../server/records/call-data/call-data.ts";
import { recoverSigner } from "../server/records/row-signature.ts";

/**
 * Formats decoded call data, one field per line.
 *
 * Record texts are untrusted: control characters and invisible characters are printed as their code points.
 */
export function callDataListing(decoded: DecodedCallData): string {
  const { row, arguments: args, filechain } = decoded;
  const signer = recoverSigner(args.rowdata, args.signature);
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
    ["signer", signer ?? "none: the event table would not accept the signature"],
    ["signed by sender", isSender(signer, row.sender) ? "yes" : "no"],
  ];
  const width = Math.max(...lines.map(([name]) => name.length)) + 2;
  const fields = lines.map(([name, value]) => `${name}:`.padEnd(width) + visible(value));
  const payload = JSON.stringify(row.payload, null, 2)
    .split("\n")
    .map((line) => `  ${visible(line)}`);
  return [...fields, "payload:", ...payload].join("\n");
}

function isSender(signer: string | undefined, sender: string): boolean {
  return signer !== undefined && signer.toLowerCase() === sender.toLowerCase();
}

function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
