import { rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { Wallet } from "ethers";
import {
  assertDeployed,
  DEFAULT_SESSION_RULES,
  type Deployment,
  deploymentFile,
  readDeployment,
  writeDeployment,
} from "../../server/chain/contracts/deployment.ts";
import { readReceipt } from "../../server/chain/node/receipt.ts";
import { type Rpc, toQuantity } from "../../server/chain/rpc/rpc.ts";
import { CONTRACT_NAMES, type ContractAddresses } from "../../server/chain/transaction.ts";
import { holdAdministration } from "../../server/composition/data-folder.ts";
import type { ChainConfig } from "../../server/config/config.ts";
import { SealbookError } from "../../server/errors.ts";
import { IS_PACKAGE } from "../../server/kit/program-files.ts";
import { printLine, type Terminal } from "../commands/run-command.ts";
import { build } from "./build.ts";
import { type Connection, keysFor } from "./connection.ts";
import { deployingTransactions, deployWithIgnition, type IgnitionRun } from "./ignition.ts";
import { originsOf } from "./origin.ts";

/** Balance for the deployment on a chain in this process. */
const PLAY_MONEY = 10n ** 20n;

/** Deploys the contracts unless they are deployed, and writes their addresses. */
export async function deployContracts(
  terminal: Terminal,
  { rpc, address, inProcess }: Connection,
  config: ChainConfig,
): Promise<void> {
  const keys = await keysFor(config, rpc, inProcess);
  const administrator = new Wallet(keys.administrator);
  const run = {
    rpc,
    administrator,
    relayer: keys.relayer.address,
    ...(config.sessionRules ?? DEFAULT_SESSION_RULES),
    fees: config.fees,
    onSent: (hash: string) => printLine(terminal, `Transaction ${hash}`),
  };
  if (inProcess) {
    await rpc.call("hardhat_setBalance", [administrator.address, toQuantity(PLAY_MONEY)]);
    await build();
    printContracts(terminal, await deployWithIgnition(run));
    return printLine(terminal, "This chain ends with this command; the addresses are not kept.");
  }
  // Two concurrent runs would use the same nonces.
  const lock = await holdAdministration(config.dataDirectory);
  try {
    await deployOnce(terminal, run, deploymentFile(config.dataDirectory, rpc.chainId));
  } finally {
    lock.release();
  }
  if (keys.developmentKey !== undefined) {
    const { DATA_DIR } = terminal.variables;
    const chain = `${DATA_DIR === undefined ? "" : `DATA_DIR=${shellWord(DATA_DIR)} `}RPC_URL=${address ?? ""}`;
    const [start, account] = IS_PACKAGE
      ? ["npx sealbook start", "npx sealbook account create"]
      : ["npm start", "npm run account -- create"];
    printLine(terminal, `Start the server: ${chain} RELAYER_KEY=${keys.developmentKey} ${start}`);
    printLine(terminal, `Create an account: ${chain} ADMIN_KEY=${keys.administrator} ${account}`);
  }
}

async function deployOnce(terminal: Terminal, run: IgnitionRun, file: string): Promise<void> {
  const { rpc } = run;
  const existing = await readDeployment(file);
  if (existing !== undefined) {
    await assertStillThere(rpc, existing, file);
    printContracts(terminal, existing.contracts);
    printLine(terminal, "Everything was deployed before; nothing changed.");
    return printLine(terminal, `Addresses: ${file}`);
  }
  if (existsSync(file)) {
    throw new SealbookError("conflict", `${file} names some of the contracts only; add the others, or remove it`);
  }
  await build();
  const folder = file.replace(/\.json$/, "-unfinished");
  const contracts = await deployWithIgnition({ ...run, folder });
  const transactions = await deployingTransactions(folder);
  const { firstBlock, deployed } = await originsOf(rpc, contracts, async (address) => {
    const receipt = await readReceipt(rpc, transactions.get(address) ?? "0x", new Map());
    if (receipt !== undefined) return receipt.block.number;
    throw new SealbookError("conflict", `${folder} is of another chain; to deploy anew, remove it`);
  });
  await writeDeployment(file, { chainId: rpc.chainId, firstBlock, contracts, deployed });
  // All that it has of use is in the file now.
  await rm(folder, { recursive: true });
  printContracts(terminal, contracts);
  printLine(terminal, `Contracts deployed: ${CONTRACT_NAMES.length}.`);
  printLine(terminal, `Addresses: ${file}`);
}

/** A development node starts with another chain each time. */
async function assertStillThere(rpc: Rpc, deployment: Deployment, file: string): Promise<void> {
  try {
    await assertDeployed(rpc, deployment, file);
  } catch (error) {
    if (!(error instanceof SealbookError && error.code === "conflict")) throw error;
    throw new SealbookError("conflict", `${error.message}; to deploy anew, remove that file`, { cause: error });
  }
}

/** Quotes a text for a shell, where that is needed. */
function shellWord(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function printContracts(terminal: Terminal, contracts: ContractAddresses): void {
  for (const [name, address] of Object.entries(contracts)) printLine(terminal, `${name.padEnd(16)} ${address}`);
}
