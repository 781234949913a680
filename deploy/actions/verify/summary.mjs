// Reads the report of `sealbook verify --json` and writes it to the log and, as a table, to the summary of the job.
import { appendFileSync } from "node:fs";
import { env, stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";

// A summary has at most 1 MiB.
const MAXIMUM = 500;

const report = await text(stdin);
// Without a report the program has printed the reason.
if (report !== "") {
  const { totals, results } = JSON.parse(report);
  const title = `${totals.verified} of ${totals.files} files verified`;
  // Those that are not verified first.
  const sorted = results.toSorted((a, b) => (a.outcome === "verified") - (b.outcome === "verified"));
  const rows = sorted.map(({ file, outcome, reason }) => [file, outcome.replace("_", " "), reason].map(printable));
  for (const [file, outcome, reason] of rows)
    if (outcome !== "verified") stdout.write(`::error::${`${outcome}: ${file}: ${reason}`.replaceAll("%", "%25")}\n`);
  stdout.write(`${title}\n`);
  const lines = [`### Sealbook: ${title}`, "", "| File | Outcome | Reason |", "|---|---|---|"];
  for (const row of rows.slice(0, MAXIMUM)) lines.push(`| ${row.map(cell).join(" | ")} |`);
  if (rows.length > MAXIMUM) lines.push("", `and ${rows.length - MAXIMUM} more`);
  appendFileSync(env.GITHUB_STEP_SUMMARY, `${lines.join("\n")}\n`);
}

/** Escapes invisible characters: names of files are not trusted. */
function printable(name) {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/** Escapes what Markdown and HTML would format. */
function cell(name) {
  return name.replace(/[^\p{L}\p{M}\p{N} .,:;/-]/gu, (character) => `&#${character.codePointAt(0)};`);
}
