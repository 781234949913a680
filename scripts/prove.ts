// Proves that files existed as they are today: anchors their hashes and keeps the proofs in a folder.
import { join, resolve } from "node:path";
import { Argument, Command } from "commander";
import { onInterrupt } from "./proofs/interrupt.ts";
import { concurrencyOption, PROOFS_DIRECTORY, urlOption } from "./proofs/options.ts";
import { proveAll } from "./proofs/prove-run.ts";
import { printable } from "./proofs/reason.ts";
import { runCommand } from "./proofs/run-command.ts";
import { assertReachable, CREDENTIALS_HELP, proofClient } from "./proofs/server-client.ts";
import { summaryLine } from "./proofs/summary.ts";
import { findFiles } from "./proofs/walk.ts";
import { writeJson } from "./proofs/write-file.ts";

interface Options {
  readonly url: string;
  readonly out: string;
  readonly type?: string;
  readonly source?: string;
  readonly idPrefix: string;
  readonly concurrency: number;
  readonly bundle: boolean;
  readonly json?: true;
}

const program = new Command("prove")
  .description("Anchors the SHA-256 of files and keeps a proof of each. Only hashes and names leave this machine.")
  .addArgument(new Argument("<file...>", "files, or folders with everything in them"))
  .addOption(urlOption())
  .option("--out <dir>", "folder for the proofs", PROOFS_DIRECTORY)
  .option("--type <text>", "kind of the documents; part of what is recorded")
  .option("--source <text>", "name of the calling service")
  .option("--id-prefix <text>", "put before each path to make the document's id", "")
  .addOption(concurrencyOption())
  .option("--no-bundle", "keep no bundles, with which proofs can be checked without the server")
  .option("--json", "print the summary as JSON and nothing else")
  .addHelpText(
    "after",
    `
A document's id is its path relative to the working directory, or the whole path outside of it. Its proof is
DIR/<path>.proof.json, and beside it stands DIR/<path>.bundle.json, the portable proof for whoever has no server to ask.
DIR/summary.json tells of the last run. A proof of the same content is used again. A proof of another content is never
lost: it is kept as <path>.proof.1.json, .proof.2.json and so on, the oldest first, and its bundle as <path>.bundle.1.json.
Symbolic links are followed, but not in circles; the folder of proofs itself is left out.

Ctrl-C ends the run, with what is done kept; the same command goes on with the rest.
${CREDENTIALS_HELP}
Exit code: 0 all have proofs, 1 some have none, 2 wrong usage, 130 interrupted.`,
  )
  .action(async (names: string[], options: Options) => {
    const { url, concurrency, type, source, idPrefix, bundle: bundles } = options;
    const directory = resolve(options.out);
    const signals = onInterrupt();
    await assertReachable(url);
    const found = await findFiles(names, process.cwd(), directory);
    const settings = { client: proofClient(url), directory, type, source, idPrefix, bundles };
    const summary = await proveAll({ found, settings, server: url, concurrency, signals });
    await writeJson(join(directory, "summary.json"), summary);
    for (const { file, reason } of summary.failures) process.stderr.write(`${printable(file)}: ${printable(reason)}\n`);
    process.stdout.write(`${options.json === true ? JSON.stringify(summary, null, 2) : summaryLine(summary)}\n`);
    if (signals.stop.aborted) return;
    process.exitCode = summary.documents.length === summary.totals.files ? 0 : 1;
  });

await runCommand(program);
