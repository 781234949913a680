import { Argument, Command, Option } from "commander";
import { concurrencyOption, parseKeyId, PROOFS_DIRECTORY, sumsOption } from "../proofs/options.ts";
import { rpcOption } from "../proofs/node-query.ts";
import { reportLines } from "../proofs/verify-files.ts";
import { EXIT_CODES } from "../../verifier/verify.mjs";
import { verifyNamed, type VerifyNamedOptions } from "../proofs/verify-named.ts";
import { jsonPieces } from "../proofs/json-pieces.ts";
import type { Terminal } from "./run-command.ts";

type VerifyCommandOptions = VerifyNamedOptions & { readonly json?: true; readonly quiet?: boolean };

/** Creates the command `verify`. */
export function verifyCommand(terminal: Terminal): Command {
  return new Command("verify")
    .addArgument(new Argument("[file...]", "files, or folders with all their files"))
    .addOption(sumsOption())
    .option("--proofs <dir>", "folder of the bundles", PROOFS_DIRECTORY)
    .addOption(new Option("--trust-key <id>", "the id of the issuer's key, 43 characters").argParser(parseKeyId))
    .option("--validators <file>", "addresses of the chain's validators: a JSON list, or one per line")
    .addOption(rpcOption())
    .option("--any-id", "accept bundles with a different document id, for moved files")
    .option("--id-prefix <text>", "prefix of the document ids, before the path, as given to prove", "")
    .addOption(concurrencyOption())
    .option("--json", "print the report as JSON")
    .option("--quiet", "print only files that are not verified, and the totals")
    .addHelpText(
      "after",
      `
Without --trust-key, --validators and --rpc the node is the embedded chain's, from CHAIN_PORT or DATA_DIR.

Outcomes:
  verified      the file matches its bundle, and the bundle is valid
  not verified  the file differs from its bundle, or the bundle is of a different document, damaged or altered
  undetermined  the file has no bundle or cannot be read, or the node does not respond or does not have the block

Exit code: 0 all files are verified, 1 some are not verified, 3 no such one, but some undetermined, 2 wrong usage.`,
    )
    .action(async (names: string[], { json, quiet = false, ...options }: VerifyCommandOptions) => {
      const report = await verifyNamed(names, options);
      const pieces = json === true ? jsonPieces(report) : reportLines(report, quiet);
      for (const piece of pieces) terminal.stdout.write(piece);
      terminal.exit(EXIT_CODES[report.outcome]);
    });
}
