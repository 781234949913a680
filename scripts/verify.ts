// Verifies files against the proofs that were kept of them, and the proofs against the chain.
import { resolve } from "node:path";
import { Argument, Command, Option } from "commander";
import { NODE, peerTlsOptions } from "../server/chain/rpc/peer-tls.ts";
import { parseConfig } from "../server/config/config.ts";
import { readEnv } from "../server/config/environment.ts";
import { embeddedChainUrl } from "../server/config/embedded-chain-url.ts";
import { chainWitness } from "./proofs/chain-witness.ts";
import { concurrencyOption, parseNodeUrls, PROOFS_DIRECTORY, urlOption } from "./proofs/options.ts";
import { CommandFailure, runCommand } from "./proofs/run-command.ts";
import { CREDENTIALS_HELP, proofClient } from "./proofs/server-client.ts";
import { serverWitness } from "./proofs/server-witness.ts";
import { reportText, verifyAll } from "./proofs/verify-run.ts";
import { findFiles } from "./proofs/walk.ts";

/** A server that is away is away for a check that can be made again at any time. */
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
  .description("Checks that files are what they were when they were proved, by their proofs and the chain itself.")
  .addArgument(new Argument("<file...>", "files, or folders with everything in them"))
  .option("--proofs <dir>", "folder of the proofs", PROOFS_DIRECTORY)
  .addOption(
    new Option(
      "--rpc <address>",
      "JSON-RPC address of a node (default: the embedded chain's, at CHAIN_PORT or where DATA_DIR says)",
    )
      .env("RPC_URL")
      .argParser(parseNodeUrls),
  )
  .addOption(urlOption())
  .option("--server-only", "ask the server instead of the chain, and believe it")
  .option("--any-id", "accept proofs that were made under another name, for files that were moved with their proofs")
  .addOption(concurrencyOption())
  .option("--json", "print the report as JSON and nothing else")
  .addHelpText(
    "after",
    `
Each file is one of
  verified         it is what was proved, and the chain has the proof
  changed          it differs from what was proved, or the proof is that of another document
  no proof         there is none, or the proof file is damaged or was changed
  chain disagrees  the chain does not confirm the proof
  not checked      the file could not be read, or nobody could be asked
The server is not needed, except for files without a proof file: it is asked whether it knows their hash.
${CREDENTIALS_HELP}
What is not on chain cannot be checked there: source and other metadata, a validator's name, verification_url.

Exit code: 0 all are verified, 1 some are not, 2 wrong usage.`,
  )
  .action(async (names: string[], options: Options) => {
    const directory = resolve(options.proofs);
    const found = await findFiles(names, process.cwd(), directory);
    if (found.files.length + found.unreadable.length === 0) throw new CommandFailure("there are no files there");
    const server = serverWitness(proofClient(options.url, { retryForMilliseconds: RETRY_FOR_MILLISECONDS }));
    const chain = openWitness(options.rpc ?? embeddedChainUrl(readEnv()));
    const witness = options.serverOnly === true ? server : chain;
    const settings = { directory, witness, server, anyId: options.anyId === true };
    try {
      const report = await verifyAll(found, settings, options.concurrency);
      process.stdout.write(`${options.json === true ? JSON.stringify(report, null, 2) : reportText(report)}\n`);
      process.exitCode = report.totals.verified === report.totals.files ? 0 : 1;
    } finally {
      chain.close();
    }
  });

/** As {@link chainWitness}; over TLS what the environment says of it holds. */
function openWitness(address: string): ReturnType<typeof chainWitness> {
  const secured = Object.entries(readEnv()).filter(([name]) => name.startsWith("RPC_TLS_"));
  const { node } = parseConfig({ ...Object.fromEntries(secured), RPC_URL: address }, { relays: false }).chain;
  return node.kind === "remote" ? chainWitness(node.urls, peerTlsOptions(node.tls, NODE)) : chainWitness([address], {});
}

await runCommand(program);
