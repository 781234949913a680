// Verifies files against their proofs, and the proofs against the chain.
import { resolve } from "node:path";
import { Argument, Command, Option } from "commander";
import { NODE, peerTlsOptions } from "../server/chain/rpc/peer-tls.ts";
import { parseConfig } from "../server/config/config.ts";
import { readEnv } from "../server/config/environment.ts";
import { embeddedChainUrl } from "../server/config/embedded-chain-url.ts";
import { chainChecker } from "./proofs/chain-checker.ts";
import { concurrencyOption, parseNodeUrls, PROOFS_DIRECTORY, urlOption } from "./proofs/options.ts";
import { CommandFailure, runCommand } from "./proofs/run-command.ts";
import { CREDENTIALS_HELP, proofClient } from "./proofs/server-client.ts";
import { serverChecker } from "./proofs/server-checker.ts";
import { reportText, verifyAll } from "./proofs/verify-run.ts";
import { findFiles } from "./proofs/walk.ts";

/** Short, because a verification can be repeated at any time. */
const RETRY_FOR_MILLISECONDS = 2_000;

interface Options {
  readonly url: string;
  readonly rpc?: string;
  readonly proofs: string;
  readonly serverOnly?: true;
  readonly anyId?: true;
  readonly concurrency: number;
  readonly json?: true;
}

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
  .action(async (names: string[], options: Options) => {
    const directory = resolve(options.proofs);
    const found = await findFiles(names, process.cwd(), directory);
    if (found.files.length + found.unreadable.length === 0) {
      throw new CommandFailure(`${names.join(", ")}: no files found`);
    }
    const server = serverChecker(proofClient(options.url, { retryForMilliseconds: RETRY_FOR_MILLISECONDS }));
    const chain = openChecker(options.rpc ?? embeddedChainUrl(readEnv()));
    const checker = options.serverOnly === true ? server : chain;
    const settings = { directory, checker, server, anyId: options.anyId === true };
    try {
      const report = await verifyAll(found, settings, options.concurrency);
      process.stdout.write(`${options.json === true ? JSON.stringify(report, null, 2) : reportText(report)}\n`);
      process.exitCode = report.totals.verified === report.totals.files ? 0 : 1;
    } finally {
      chain.close();
    }
  });

/** Opens a {@link chainChecker} with the TLS settings of the environment. */
function openChecker(address: string): ReturnType<typeof chainChecker> {
  const secured = Object.entries(readEnv()).filter(([name]) => name.startsWith("RPC_TLS_"));
  const { node } = parseConfig({ ...Object.fromEntries(secured), RPC_URL: address }, { relays: false }).chain;
  return node.kind === "remote" ? chainChecker(node.urls, peerTlsOptions(node.tls, NODE)) : chainChecker([address], {});
}

await runCommand(program);
