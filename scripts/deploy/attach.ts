import { existsSync } from "node:fs";
import { deploymentFile, readDeployment, writeDeployment } from "../../server/chain/contracts/deployment.ts";
import { type Address, CONTRACT_NAMES, type ContractAddresses } from "../../server/chain/transaction.ts";
import type { ChainConfig } from "../../server/config/chain.ts";
import { CommandFailure } from "../proofs/run-command.ts";
import { printLine, type Terminal } from "../proofs/terminal.ts";
import { build } from "./build.ts";
import { printFindings } from "./check.ts";
import { connectConfigured } from "./connection.ts";
import { contractFindings } from "./findings.ts";
import { originsOf } from "./origin.ts";

export interface AttachOptions {
  readonly sessionRegistry: Address;
  readonly eventTable: Address;
  readonly proofAnchor: Address;
  readonly firstBlock?: number;
}

/**
 * Writes the addresses of contracts that are deployed already.
 * @throws CommandFailure unless they are those of the build, and belong together
 */
export async function attach(terminal: Terminal, config: ChainConfig, options: AttachOptions): Promise<void> {
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
