// Compares a restored tree of files with what was recorded, and says what changed, what is new and what is missing.
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Argument, Command, Option } from "commander";
import { onInterrupt } from "./proofs/interrupt.ts";
import { concurrencyOption, urlOption } from "./proofs/options.ts";
import { printable, reasonOf } from "./proofs/reason.ts";
import { CommandFailure, runCommand } from "./proofs/run-command.ts";
import { assertReachable, CREDENTIALS_HELP, proofClient } from "./proofs/server-client.ts";
import { writePieces } from "./proofs/write-file.ts";
import { asCommandFailure } from "./recover/compare-files.ts";
import { recoverAll } from "./recover/recover-run.ts";
import { reportJson, summaryLine } from "./recover/recovery-report.ts";
import { reportHtml } from "./recover/report-html.ts";
import { restoredTree } from "./recover/restored-tree.ts";

const BAD_USAGE = 2;
const PATH = "path";

interface Options {
  readonly url: string;
  readonly idFrom: string;
  readonly idPrefix: string;
  readonly asOf?: string;
  readonly out: string;
  readonly concurrency: number;
  readonly json?: true;
}

const program = new Command("recover")
  .description(
    "Tells whether what came back after a disaster is what was recorded. Only hashes and names leave this machine.",
  )
  .addArgument(new Argument("<dir>", "the restored tree"))
  .addOption(urlOption())
  .addOption(
    new Option("--id-from <source>", `how documents are called: "${PATH}", or the CSV file that says so`).default(PATH),
  )
  .option("--id-prefix <text>", "put before each path to make the document's id", "")
  .option(
    "--as-of <date>",
    "compare with what was recorded by then: a date (its end, UTC), a date-time with its zone, or Unix seconds",
  )
  .option("--out <dir>", "folder for the reports", "./sealbook-recovery")
  .addOption(concurrencyOption())
  .option("--json", "print the report as JSON and nothing else")
  .addHelpText(
    "after",
    `
With --id-from path a document's id is its path relative to DIR, wherever DIR is now, after the prefix. What
"prove contracts" recorded from its working directory, with ids such as contracts/a.pdf, is compared by either of
  recover /mnt/restored                                  (where contracts is a folder in it)
  recover /mnt/restored/contracts --id-prefix contracts/
A CSV file names the columns document_id and path in its first line; paths are relative to DIR.
Folders of proofs (sealbook-proofs in DIR) and of reports are left out.

The folder of the reports gets recovery-report.json, recovery-report.html, and recovery-rows.ndjson with every row.
${CREDENTIALS_HELP}

Exit code: 0 all files match and nothing is missing, 1 not so, 2 wrong usage, 130 interrupted.`,
  )
  .action(async (name: string, options: Options) => {
    const { url, idFrom, idPrefix, asOf, concurrency } = options;
    const directory = resolve(name);
    const out = resolve(options.out);
    const isDirectory = await stat(directory).then(
      (found) => found.isDirectory(),
      (error: unknown) => {
        throw new CommandFailure(`${name} ${reasonOf(error)}`, BAD_USAGE);
      },
    );
    if (!isDirectory) throw new CommandFailure(`${name} is not a folder`, BAD_USAGE);
    if (idFrom !== PATH && idPrefix !== "")
      throw new CommandFailure("--id-prefix is for ids that are made from paths", BAD_USAGE);
    const { stop: signal } = onInterrupt();
    await assertReachable(url);
    const tree = await restoredTree({
      directory,
      manifest: idFrom === PATH ? undefined : resolve(idFrom),
      idPrefix,
      out,
    });
    if (tree.files.length === 0) throw new CommandFailure("there are no files there");
    const about = { server: url, directory, id_from: idFrom, id_prefix: idPrefix };
    try {
      const report = await recoverAll({ tree, client: proofClient(url), asOf, concurrency, out, about, signal });
      await writePieces(join(out, "recovery-report.json"), reportJson(report));
      await writePieces(join(out, "recovery-report.html"), reportHtml(report));
      if (options.json === true) for (const piece of reportJson(report)) process.stdout.write(piece);
      else process.stdout.write(`${summaryLine(report)}\n${printable(join(out, "recovery-report.html"))}\n`);
      if (!signal.aborted) process.exitCode = report.all_matched ? 0 : 1;
    } catch (error) {
      // The exit code is set already, and there is nothing to report.
      if (!signal.aborted) throw asCommandFailure(error);
    }
  });

await runCommand(program);
