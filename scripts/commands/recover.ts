import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Argument, Command, Option } from "commander";
import { onInterrupt } from "../proofs/file-run.ts";
import { concurrencyOption, urlOption } from "../proofs/options.ts";
import { reasonOf } from "../proofs/reason.ts";
import { BAD_USAGE, CommandFailure, type Terminal } from "./run-command.ts";
import { assertReachable, CREDENTIALS_HELP, proofClient } from "../proofs/server-client.ts";
import { writePieces } from "../proofs/write-file.ts";
import { asCommandFailure, restoredTree } from "../recover/compare-files.ts";
import { recoverAll } from "../recover/recover-run.ts";
import { summaryLine } from "../recover/recovery-report.ts";
import { jsonPieces } from "../proofs/json-pieces.ts";
import { reportHtml } from "../recover/report-html.ts";
import { printable } from "../../verifier/verify.mjs";

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

/** Creates the command `recover`. */
export function recoverCommand(terminal: Terminal): Command {
  return new Command("recover")
    .addArgument(new Argument("<dir>", "folder of the restored files"))
    .addOption(urlOption())
    .addOption(new Option("--id-from <source>", `source of the document ids: "${PATH}", or a CSV file`).default(PATH))
    .option("--id-prefix <text>", "prefix of the document ids, before the path", "")
    .option(
      "--as-of <date>",
      "compare with the records up to a date (end of day, UTC), a date-time with zone, or Unix seconds",
    )
    .option("--out <dir>", "folder for the reports", "./sealbook-recovery")
    .addOption(concurrencyOption())
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      `
With --id-from path, the id of a document is the prefix and its path relative to DIR. For records of "prove contracts",
with ids such as contracts/a.pdf, use one of
  recover /mnt/restored                                  (which contains the folder contracts)
  recover /mnt/restored/contracts --id-prefix contracts/
A CSV file has a header with the columns document_id and path; paths are relative to DIR.
Skips the folders of proofs (sealbook-proofs in DIR) and of reports.

Writes recovery-report.json, recovery-report.html, and recovery-rows.ndjson with all rows to the folder of reports.
${CREDENTIALS_HELP}

Exit code: 0 all files match and none is missing, 1 otherwise, 2 wrong usage, 130 interrupted.`,
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
        throw new CommandFailure("--id-prefix requires --id-from path", BAD_USAGE);
      const { stop: signal } = onInterrupt();
      await assertReachable(url);
      const tree = await restoredTree({
        directory,
        manifest: idFrom === PATH ? undefined : resolve(idFrom),
        idPrefix,
        out,
      });
      if (tree.files.length === 0) throw new CommandFailure(`${name} contains no files`);
      const about = { server: url, directory, id_from: idFrom, id_prefix: idPrefix };
      try {
        const report = await recoverAll({ tree, client: proofClient(url), asOf, concurrency, out, about, signal });
        await writePieces(join(out, "recovery-report.json"), jsonPieces(report));
        await writePieces(join(out, "recovery-report.html"), reportHtml(report));
        if (options.json === true) for (const piece of jsonPieces(report)) terminal.stdout.write(piece);
        else terminal.stdout.write(`${summaryLine(report)}\n${printable(join(out, "recovery-report.html"))}\n`);
        if (!signal.aborted) terminal.exit(report.all_matched ? 0 : 1);
      } catch (error) {
        // After an interrupt the exit code is already set.
        if (!signal.aborted) throw asCommandFailure(error);
      }
    });
}
