import escapeHtml from "escape-html";
import type { RecoveryReport } from "./recovery-report.ts";
import { printable } from "../../verifier/verify.mjs";

/** Maximum time of a Date in seconds. */
const LAST_SECOND = 8.64e12;

const STYLE = `
  :root { color-scheme: light; --line: #d8dce2; --soft: #59636e; }
  body { font: 15px/1.5 system-ui, sans-serif; color: #1c2128; max-width: 62rem;
    margin: 2.5rem auto; padding: 0 1.5rem; }
  h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .25rem; }
  h2 { font-size: 1.15rem; margin: 2.5rem 0 .25rem; break-after: avoid; }
  p { margin: .25rem 0 .75rem; } .soft { color: var(--soft); }
  .verdict { border-left: .4rem solid; padding: .6rem 1rem; margin: 1.25rem 0; font-size: 1.1rem; background: #f6f8fa; }
  .good { border-color: #1a7f37; } .bad { border-color: #cf222e; }
  .totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .6rem; padding: 0;
    margin: 1rem 0; list-style: none; }
  .totals li { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .75rem; break-inside: avoid; }
  .totals b { display: block; font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
  .totals .fault b { color: #cf222e; }
  table { border-collapse: collapse; width: 100%; font-size: .88rem; }
  th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line);
    overflow-wrap: anywhere; }
  th { color: var(--soft); font-weight: 600; } thead { display: table-header-group; } tr { break-inside: avoid; }
  .facts th { width: 12rem; } code { font: .85em/1.4 ui-monospace, monospace; }
  .lists { table-layout: fixed; } td div + div { margin-top: .1rem; }
  @media print { body { font-size: 10pt; max-width: none; margin: 0; padding: 0; }
    .verdict { print-color-adjust: exact; } }
`;

/** Formats the report as a self-contained page. Yields pieces, because reports can exceed the string limit. */
export function* reportHtml(report: RecoveryReport): Generator<string, void> {
  const { mismatches, unrecorded, pending, missing, not_checked, unlisted } = report;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Recovery report, ${text(report.started.slice(0, 10))}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Recovery report</h1>
<p class="soft">${text(report.directory)} compared with the records${asOf(report)}, ${moment(report.finished_at)}</p>
<p class="verdict ${report.all_matched ? "good" : "bad"}">${verdict(report)}</p>
<ul class="totals">
${totalsList(report)}
</ul>
`;
  yield* section(
    "Mismatches",
    "Files that differ from the last record of their document.",
    ["Document", "Restored", "Recorded"],
    mismatches,
    (row) => [
      named(row.document_id, row.file),
      `${hash(row.hash)}${row.earlier === undefined ? "" : `<div>an older version, ${recordedAt(row.earlier)}</div>`}`,
      `${hash(row.recorded_hash)}<div>${moment(row.recorded_at)}, block ${row.block_number}</div>`,
    ],
  );
  yield* section(
    "Unrecorded",
    "Files without a record of their document.",
    ["Document", "Restored", "Details"],
    unrecorded,
    (row) => [
      named(row.document_id, row.file),
      hash(row.hash),
      [
        ...(row.reason === undefined ? [] : [text(row.reason)]),
        ...(row.recorded_as ?? []).map((name) => `the same content was recorded as <b>${text(name)}</b>`),
      ]
        .map((line) => `<div>${line}</div>`)
        .join("") || "nothing",
    ],
  );
  yield* section(
    "Pending",
    "Files whose newest record has no anchor yet: compare them again.",
    ["Document", "Restored", "Recorded"],
    pending,
    (row) => [named(row.document_id, row.file), hash(row.hash), hash(row.recorded_hash)],
  );
  yield* section(
    "Missing",
    "Recorded documents that are missing from the restored files.",
    ["Document", "Recorded", "Found as"],
    missing,
    (row) => [
      `<b>${text(row.document_id)}</b>${row.fault === undefined ? "" : `<div>${text(row.fault)}</div>`}`,
      `${hash(row.hash)}<div>${placeOf(row)}</div>`,
      (row.found_as ?? []).map((file) => `<div>${text(file)}</div>`).join("") || "nowhere",
    ],
  );
  yield* section(
    "Not checked",
    "Files that could not be read.",
    ["File", "Reason"],
    not_checked,
    ({ file, reason }) => [text(file), text(reason)],
  );
  yield* section(
    "Not in the manifest",
    "Files that the manifest does not list. They were not compared.",
    ["File"],
    unlisted,
    (file) => [text(file)],
  );
  yield `<h2>Method</h2>
  <p>This machine computed the SHA-256 of every file, and the server compared it with the last record of the
  document${report.as_of === null ? "" : ", by the block time of the record"}. For each row the server recomputed the
recorded hash and the anchored hash or root, and checked it on the chain. A record that the chain does not confirm
counts as unrecorded.</p>
<p><code>${text(report.rows_file)}</code> contains the unchanged rows of the response. This machine computed the root
below from its lines.</p>
<table class="facts"><tbody>
${facts(report)}
</tbody></table>
</body>
</html>
`;
}

function totalsList({ totals }: RecoveryReport): string {
  return [
    total(totals.files, "files"),
    total(totals.match, "match"),
    total(totals.mismatch, "mismatch", true),
    total(totals.unrecorded, "unrecorded", true),
    totals.pending === 0 ? "" : total(totals.pending, "not anchored yet", true),
    total(totals.missing, "missing", true),
    total(totals.not_checked, "not checked", true),
    totals.unlisted === 0 ? "" : total(totals.unlisted, "not in the manifest", true),
  ].join("");
}

function facts(report: RecoveryReport): string {
  const prefix = report.id_prefix === "" ? "" : `, after <code>${text(report.id_prefix)}</code>`;
  return [
    fact("Verification", `<code>${text(report.verification_id)}</code>`),
    fact("Root over the rows", hash(report.rows_root)),
    fact("As of", report.as_of === null ? "all records" : moment(report.as_of)),
    fact("Server", text(report.server)),
    fact("Restored files", text(report.directory)),
    fact("Document ids", report.id_from === "path" ? `path in the tree${prefix}` : `manifest ${text(report.id_from)}`),
    fact("Started", text(report.started)),
    fact("Seconds", report.seconds.toFixed(1)),
    fact("Bytes hashed", number(report.totals.bytes)),
  ].join("");
}

function placeOf({ recorded_at: time, block_number: block }: RecoveryReport["missing"][number]): string {
  return time === null ? "the journal does not say when" : `${moment(time)}, block ${block}`;
}

function recordedAt({ recorded_at, block_number }: { recorded_at: number; block_number: number }): string {
  return `recorded ${moment(recorded_at)}, block ${block_number}`;
}

function* section<Item>(
  title: string,
  meaning: string,
  columns: readonly string[],
  items: readonly Item[],
  cells: (item: Item) => readonly string[],
): Generator<string, void> {
  if (items.length === 0) return;
  yield (
    `<h2>${title} (${number(items.length)})</h2>\n<p class="soft">${meaning}</p>\n<table ` +
    `class="lists">\n<thead><tr>${columns.map((name) => `<th>${name}</th>`).join("")}</tr></thead>\n<tbody>\n`
  );
  for (const item of items)
    yield `<tr>${cells(item)
      .map((cell) => `<td>${cell}</td>`)
      .join("")}</tr>\n`;
  yield "</tbody>\n</table>\n";
}

function verdict({ all_matched, totals }: RecoveryReport): string {
  if (all_matched) return `All ${number(totals.files)} files match their records, and no recorded document is missing.`;
  const others = totals.files - totals.match;
  const faults = [
    ...(others === 0
      ? []
      : [`${number(others)} of ${number(totals.files)} files ${others === 1 ? "does" : "do"} not match`]),
    ...(totals.missing === 0
      ? []
      : [`${number(totals.missing)} recorded ${totals.missing === 1 ? "document is" : "documents are"} missing`]),
    ...(totals.unlisted === 0
      ? []
      : [`${number(totals.unlisted)} ${totals.unlisted === 1 ? "file is" : "files are"} not in the manifest`]),
  ];
  return `${faults.join("; ")}.`;
}

function asOf({ as_of }: RecoveryReport): string {
  return as_of === null ? "" : ` until ${moment(as_of)}`;
}

function total(count: number, label: string, isFault = false): string {
  return `<li${isFault && count > 0 ? ' class="fault"' : ""}><b>${number(count)}</b>${label}</li>\n`;
}

function fact(name: string, value: string): string {
  return `<tr><th>${name}</th><td>${value}</td></tr>\n`;
}

function named(documentId: string, file: string): string {
  return `<b>${text(documentId)}</b>${documentId === file ? "" : `<div class="soft">${text(file)}</div>`}`;
}

function hash(hex: string): string {
  return `<code>${text(hex)}</code>`;
}

function moment(seconds: number): string {
  return seconds > LAST_SECOND
    ? number(seconds)
    : new Date(seconds * 1000).toISOString().replace("T", " ").replace(".000Z", " UTC");
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** Escapes untrusted text. */
function text(value: string): string {
  return escapeHtml(printable(value));
}
