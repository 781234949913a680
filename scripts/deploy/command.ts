import { existsSync } from "node:fs";
import { Command, Option } from "commander";
import { deploymentFile, readDeployment, writeDeployment } from "../../server/chain/contracts/deployment.ts";
import { type Address, CONTRACT_NAMES, type ContractAddresses } from "../../server/chain/transaction.ts";
import { CommandFailure, printLine, type Terminal } from "../commands/run-command.ts";
import { build } from "./build.ts";
import { connectConfigured, type Connection } from "./connection.ts";
import { configurationFindings, contractFindings, type Finding } from "./findings.ts";
import { originsOf } from "./origin.ts";
import { EMBEDDED_CHAIN_ID, embeddedKeys } from "../../server/composition/embedded-chain.ts";
import { openRelayerKey } from "../../server/composition/chain-link.ts";
import { usingChain } from "../using-chain.ts";
import { type ChainConfig, parseConfig } from "../../server/config/config.ts";
import { malformed } from "../../server/errors.ts";
import { parseAddress } from "../address.ts";
import { deployContracts } from "./run.ts";

interface AttachOptions {
  readonly sessionRegistry: Address;
  readonly eventTable: Address;
  readonly proofAnchor: Address;
  readonly firstBlock?: number;
}

/**
 * Writes the addresses of contracts that are deployed already.
 * @throws CommandFailure unless they are those of the build, and belong together
 */
async function attach(terminal: Terminal, config: ChainConfig, options: AttachOptions): Promise<void> {
  const { sessionRegistry: SessionRegistry, eventTable: EventTable, proofAnchor: ProofAnchor, firstBlock } = options;
  const contracts: ContractAddresses = { SessionRegistry, EventTable, ProofAnchor };
  await build();
  const connection = await connectConfigured(config);
  try {
    const { rpc } = connection;
    const file = deploymentFile(config.dataDirectory, rpc.chainId);
    if (existsSync(file)) return await compareFile(terminal, file, contracts);
    const findings = await contractFindings(rpc, contracts);
    printFindings(terminal, findings);
    if (!findings.every(({ ok }) => ok)) throw new CommandFailure("nothing was written");
    const origins = await originsOf(rpc, contracts, async () => firstBlock);
    await writeDeployment(file, {
      chainId: rpc.chainId,
      firstBlock: origins.firstBlock,
      contracts,
      deployed: origins.deployed,
    });
    printLine(terminal, `Addresses: ${file}`);
  } finally {
    await connection.close();
  }
}

async function compareFile(terminal: Terminal, file: string, contracts: ContractAddresses): Promise<void> {
  const existing = (await readDeployment(file))?.contracts;
  const other = CONTRACT_NAMES.find((name) => existing?.[name] !== contracts[name]);
  if (other === undefined) return printLine(terminal, `${file} names these contracts already; nothing changed.`);
  throw new CommandFailure(
    `${file} names ${existing?.[other] ?? "no contract"} as ${other}; nothing was written. Remove it to use others`,
  );
}

/** Compares the contracts on chain with the build and the configuration. Exit code 1 when something differs. */
async function check(terminal: Terminal, config: ChainConfig, json: boolean): Promise<void> {
  await build();
  await usingChain(
    config,
    async ({ rpc, deployment, administrator }) => {
      const findings = await contractFindings(rpc, deployment.contracts);
      // Other code would not return its roles in the same way.
      if (findings.every(({ ok }) => ok)) {
        const relayer = await relayerAddress(config, rpc.chainId);
        const configured = { relayer, administrator: administrator?.address, rules: config.sessionRules };
        findings.push(...(await configurationFindings(rpc, deployment, configured)));
      }
      if (json) printLine(terminal, JSON.stringify(findings));
      else printFindings(terminal, findings);
      terminal.exit(findings.every(({ ok }) => ok) ? 0 : 1);
    },
    { onlyReads: true },
  );
}

function printFindings(terminal: Terminal, findings: readonly Finding[]): void {
  for (const { ok, subject, text } of findings)
    printLine(terminal, `${ok ? "ok     " : "DIFFERS"}  ${subject} ${text}`);
}

/** Returns the address of the configured relayer; `undefined` when none is configured. */
async function relayerAddress(config: ChainConfig, chainId: number): Promise<Address | undefined> {
  if (chainId === EMBEDDED_CHAIN_ID) return (await embeddedKeys(config)).relayer.address;
  if (config.relayer === undefined) return undefined;
  const key = await openRelayerKey(config.relayer);
  key.close?.();
  return key.address;
}

const addressOf = (option: string) => (text: string) => parseAddress(option, text);

function parseBlock(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw malformed("--first-block", `"${text}" is not a block number`);
}

/**
 * Creates the command `deploy`.
 * @param connect Connects to the chain that gets the contracts; the configured one when unset
 */
export function deployCommand(
  terminal: Terminal,
  connect: (config: ChainConfig) => Promise<Connection> = connectConfigured,
): Command {
  const configured = () => parseConfig(terminal.variables, { relays: false }).chain;
  const program = new Command("deploy");

  program
    .command("contracts", { isDefault: true })
    .description("deploy the contracts to the chain at RPC_URL, unless they are deployed, and write their addresses")
    .action(async () => {
      const config = configured();
      const connection = await connect(config);
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
