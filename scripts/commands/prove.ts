import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Argument, Command } from "commander";
import { reasonOf } from "../../server/errors.ts";
import { onInterrupt } from "../proofs/file-run.ts";
import { concurrencyOption, PROOFS_DIRECTORY, sumsOption, urlOption } from "../proofs/options.ts";
import { proveAll, summaryLine } from "../proofs/prove-run.ts";
import { assertReachable, CREDENTIALS_HELP, proofClient } from "../proofs/server-client.ts";
import { filesOrSums } from "../proofs/sums.ts";
import { jsonPieces } from "../proofs/json-pieces.ts";
import { writePieces } from "../proofs/write-file.ts";
import { BAD_USAGE, CommandFailure, type Terminal } from "./run-command.ts";
import { printable } from "../../verifier/verify.mjs";

interface Options {
  readonly url: string;
  readonly out: string;
  readonly sums?: string;
  readonly type?: string;
  readonly source?: string;
  readonly idPrefix: string;
  readonly concurrency: number;
  readonly json?: true;
}

/** Creates the command `prove`. */
export function proveCommand(terminal: Terminal): Command {
  return new Command("prove")
    .addArgument(new Argument("[file...]", "files, or folders with all their files"))
    .addOption(sumsOption())
    .addOption(urlOption())
    .option("--out <dir>", "folder for the bundles", PROOFS_DIRECTORY)
    .option("--type <text>", "type of the documents, part of the recorded hash")
    .option("--source <text>", "name of the calling service")
    .option("--id-prefix <text>", "prefix of the document ids, before the path", "")
    .addOption(concurrencyOption())
    .option("--json", "print the summary as JSON")
    .addHelpText(
      "after",
      `
The id of a document is its path relative to the working directory, or its absolute path outside of it. The bundle,
a portable proof, is DIR/<path>.bundle.json. DIR/summary.json describes the last run.
A bundle of the same content is reused. A bundle of different content is kept as <path>.bundle.1.json, .bundle.2.json
and so on, oldest first. With --sums the hashes are anchored as they are, and no file is read. Follows symbolic
links, except in circles. Skips the folder of bundles.

Ctrl-C ends the run and keeps finished bundles; repeat the command to continue.
${CREDENTIALS_HELP}
Exit code: 0 all files have proofs, 1 some files have no proof or there are none, 2 wrong usage, 130 interrupted.`,
    )
    .action(async (names: string[], options: Options) => {
      const { url, concurrency, type, source, idPrefix } = options;
      const directory = resolve(options.out);
      const signals = onInterrupt();
      const found = await filesOrSums(names, options.sums, directory);
      await assertReachable(url);
      await assertWritable(directory);
      const settings = { client: proofClient(url), directory, type, source, idPrefix };
      const summary = await proveAll({ found, settings, server: url, concurrency, signals });
      await writePieces(join(directory, "summary.json"), jsonPieces(summary));
      for (const { file, reason } of summary.failures)
        terminal.stderr.write(`${printable(file)}: ${printable(reason)}\n`);
      const pieces = options.json === true ? jsonPieces(summary) : [`${summaryLine(summary)}\n`];
      for (const piece of pieces) terminal.stdout.write(piece);
      if (signals.stop.aborted) return;
      terminal.exit(summary.documents.length === summary.totals.files ? 0 : 1);
    });
}

async function assertWritable(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (error) {
    throw new CommandFailure(`--out ${directory} cannot be written: ${reasonOf(error)}`, BAD_USAGE);
  }
}
