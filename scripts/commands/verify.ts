import { Argument, Command, Option } from "commander";
import { concurrencyOption, parseKeyId, PROOFS_DIRECTORY } from "../proofs/options.ts";
import { rpcOption } from "../proofs/node-query.ts";
import { isAllVerified, reportText } from "../proofs/verify-files.ts";
import { verifyNamed, type VerifyNamedOptions } from "../proofs/verify-named.ts";
import type { Terminal } from "./run-command.ts";

/** Creates the command `verify`. */
export function verifyCommand(terminal: Terminal): Command {
  return new Command("verify")
    .addArgument(new Argument("<file...>", "files, or folders with all their files"))
    .option("--proofs <dir>", "folder of the bundles", PROOFS_DIRECTORY)
    .addOption(new Option("--trust-key <id>", "the id of the issuer's key, 43 characters").argParser(parseKeyId))
    .option("--validators <file>", "addresses of the chain's validators: a JSON list, or one per line")
    .addOption(rpcOption())
    .option("--any-id", "accept bundles with a different document id, for moved files")
    .option("--id-prefix <text>", "prefix of the document ids, before the path, as given to prove", "")
    .addOption(concurrencyOption())
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      `
Without --trust-key, --validators and --rpc the node is the embedded chain's, from CHAIN_PORT or DATA_DIR.

Results:
  verified     the file matches its bundle, and the bundle is valid
  changed      the file differs from its bundle, or the bundle is of a different document
  no bundle    there is no bundle
  invalid      a check of the verifier failed: the bundle is damaged or altered, or the chain does not have its block
  not checked  the file or the chain could not be read

Exit code: 0 all files are verified, 1 some files are not, 2 wrong usage.`,
    )
    .action(async (names: string[], { json, ...options }: VerifyNamedOptions & { readonly json?: true }) => {
      const report = await verifyNamed(names, options);
      terminal.stdout.write(`${json === true ? JSON.stringify(report, null, 2) : reportText(report)}\n`);
      terminal.exit(isAllVerified(report) ? 0 : 1);
    });
}
