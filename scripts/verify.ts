// Verifies files against their proofs, and the proofs against the chain.
import { Argument, Command, Option } from "commander";
import { concurrencyOption, parseNodeUrls, PROOFS_DIRECTORY, urlOption } from "./proofs/options.ts";
import { runCommand } from "./proofs/run-command.ts";
import { CREDENTIALS_HELP } from "./proofs/server-client.ts";
import { isAllVerified, verifyNamed, type VerifyOptions } from "./proofs/verify-named.ts";
import { reportText } from "./proofs/verify-run.ts";

const program = new Command("verify")
  .description("Verifies files against their stored proofs and the proofs against the chain.")
  .addArgument(new Argument("<file...>", "files, or folders with all their files"))
  .option("--proofs <dir>", "folder of the proofs", PROOFS_DIRECTORY)
  .addOption(
    new Option(
      "--rpc <address>",
      "JSON-RPC address of a node (default: the embedded chain's, from CHAIN_PORT or DATA_DIR)",
    )
      .env("RPC_URL")
      .argParser(parseNodeUrls),
  )
  .addOption(urlOption())
  .option("--server-only", "query the server instead of the chain, and trust it")
  .option("--any-id", "accept proofs with a different document id, for moved files")
  .addOption(concurrencyOption())
  .option("--json", "print the report as JSON")
  .addHelpText(
    "after",
    `
Results:
  verified         the file matches its proof, and the chain confirms the proof
  changed          the file differs from its proof, or the proof is of a different document
  no proof         there is no proof, or the proof file is damaged or altered
  chain disagrees  the chain does not confirm the proof
  not checked      the file, the chain or the server could not be read
The server is queried only for files without a proof file.
${CREDENTIALS_HELP}
The chain does not contain source and other metadata, names of validators and verification_url; these are not checked.

Exit code: 0 all files are verified, 1 some files are not, 2 wrong usage.`,
  )
  .action(async (names: string[], { json, ...options }: VerifyOptions & { readonly json?: true }) => {
    const report = await verifyNamed(names, options);
    process.stdout.write(`${json === true ? JSON.stringify(report, null, 2) : reportText(report)}\n`);
    process.exitCode = isAllVerified(report) ? 0 : 1;
  });

await runCommand(program);
