import { Command, Option } from "commander";
import { parseConfig } from "../../server/config/config.ts";
import { malformed } from "../../server/errors.ts";
import { parseAddress } from "../address.ts";
import type { Terminal } from "../proofs/terminal.ts";
import { attach, type AttachOptions } from "./attach.ts";
import { check } from "./check.ts";
import { type Connection, connectConfigured, connectWithHardhat } from "./connection.ts";
import { deployContracts } from "./run.ts";

/** Who started the command. */
export interface DeployStart {
  /** The network of `npx hardhat run --network`; unset without Hardhat, and for its default network. */
  readonly network: string | undefined;
  readonly isHardhatRun: boolean;
}

const addressOf = (option: string) => (text: string) => parseAddress(option, text);

function parseBlock(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw malformed("--first-block", `"${text}" is not a block number`);
}

/** Creates the command `deploy`. */
export function deployCommand(terminal: Terminal, { network, isHardhatRun }: DeployStart): Command {
  const configured = () => parseConfig(terminal.variables, { relays: false }).chain;
  const program = new Command("deploy").description(
    "Deploys the contracts, and compares deployed ones with the build.",
  );

  program
    .command("contracts", { isDefault: true })
    .description("deploy the contracts to the chain at RPC_URL, unless they are deployed, and write their addresses")
    .action(async () => {
      const config = configured();
      const isOther = isHardhatRun && network !== "remote";
      const connection: Connection = isOther ? await connectWithHardhat() : await connectConfigured(config);
      try {
        await deployContracts(terminal, connection, config);
      } finally {
        await connection.close();
      }
    });

  program
    .command("check")
    .description(
      "compare the contracts on chain with the build, and their roles and session rules with the configuration",
    )
    .option("--json", "print a list of {ok, subject, text}")
    .addHelpText("after", "\nExit code: 0 everything agrees, 1 something does not, 2 wrong usage.")
    .action(({ json }: { json?: true }) => check(terminal, configured(), json === true));

  program
    .command("attach")
    .description("use contracts that are deployed on the chain at RPC_URL: compare them and write their addresses")
    .requiredOption("--session-registry <address>", "address of the SessionRegistry", addressOf("--session-registry"))
    .requiredOption("--event-table <address>", "address of the EventTable", addressOf("--event-table"))
    .requiredOption("--proof-anchor <address>", "address of the ProofAnchor", addressOf("--proof-anchor"))
    .addOption(
      new Option(
        "--first-block <number>",
        "number of the block with the first of them; searched for when unset, which takes an archive node",
      ).argParser(parseBlock),
    )
    .action((options: AttachOptions) => attach(terminal, configured(), options));

  return program;
}
