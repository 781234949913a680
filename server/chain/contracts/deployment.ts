import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BaseWallet, getAddress, getCreateAddress } from "ethers";
import { z } from "zod";
import { EventTable__factory } from "../../../typechain-types/factories/EventTable__factory.ts";
import { ProofAnchor__factory } from "../../../typechain-types/factories/ProofAnchor__factory.ts";
import { SessionRegistry__factory } from "../../../typechain-types/factories/SessionRegistry__factory.ts";
import type { Address, ContractAddresses, ContractName } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";
import { writeFileDurably } from "../../kit/durable-file.ts";
import { sendAdministratorCall } from "../transactions/administrator-call.ts";
import type { FeeConfig } from "../transactions/fee-source.ts";
import type { Rpc } from "../rpc/rpc.ts";

const address = z.string().transform((text) => getAddress(text));

const DeploymentFile = z.object({
  chainId: z.number().int(),
  /** The block in which the first contract was deployed. */
  firstBlock: z.number().int(),
  contracts: z.object({
    SessionRegistry: address.optional(),
    EventTable: address.optional(),
    ProofAnchor: address.optional(),
  }),
});

/** Default rules of deployed sessions, in seconds. */
export const DEFAULT_SESSION_RULES = { lifetime: 60, minimumToExtend: 15 } as const;

/** Addresses of the contracts on one chain. */
export interface Deployment {
  readonly chainId: number;
  readonly firstBlock: number;
  readonly contracts: ContractAddresses;
}

/** Returns the file from which the relayer reads the addresses of a chain's contracts. */
export function deploymentFile(dataDirectory: string, chainId: number): string {
  return join(dataDirectory, "deployments", `${chainId}.json`);
}

/** Reads the contracts of a chain; `undefined` if none or not all are deployed. */
export async function readDeployment(file: string): Promise<Deployment | undefined> {
  const { chainId, firstBlock, contracts } = (await readFileOf(file)) ?? {};
  if (chainId === undefined || firstBlock === undefined || contracts === undefined) return undefined;
  const { SessionRegistry, EventTable, ProofAnchor } = contracts;
  if (SessionRegistry === undefined || EventTable === undefined || ProofAnchor === undefined) return undefined;
  return { chainId, firstBlock, contracts: { SessionRegistry, EventTable, ProofAnchor } };
}

/** Stores the addresses of contracts that were deployed before. */
export async function writeDeployment(file: string, deployment: Deployment): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFileDurably(file, [Buffer.from(`${JSON.stringify(deployment, null, 2)}\n`)]);
}

export interface DeploymentOptions {
  readonly rpc: Rpc;
  /** Pays for the deployment and administers the contracts. */
  readonly administrator: BaseWallet;
  readonly relayer: Address;
  readonly lifetime: number;
  readonly minimumToExtend: number;
  readonly fees: FeeConfig;
  /** From {@link deploymentFile}. */
  readonly file: string;
  readonly onDeployed: (contract: ContractName, address: Address) => void;
}

/**
 * Deploys the missing contracts, and stores each address as soon as its contract is deployed. Idempotent.
 * @throws SealbookError `conflict` when an address of the file has no contract: the chain is a different one
 */
export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const { rpc, administrator, relayer, file } = options;
  const admin = administrator.address;
  const registry = await ensure(options, "SessionRegistry", () =>
    new SessionRegistry__factory().getDeployTransaction(admin, relayer, options.lifetime, options.minimumToExtend),
  );
  await ensure(options, "EventTable", () => new EventTable__factory().getDeployTransaction(registry, admin, relayer));
  await ensure(options, "ProofAnchor", () => new ProofAnchor__factory().getDeployTransaction(admin, relayer));
  const deployment = await readDeployment(file);
  if (deployment === undefined) throw new SealbookError("internal", `${file} lacks a contract that was just deployed`);
  await assertDeployed(rpc, deployment, file);
  return deployment;
}

/** @throws SealbookError `conflict` when the chain does not have the contracts */
export async function assertDeployed(rpc: Rpc, deployment: Deployment, file: string): Promise<void> {
  for (const [name, contract] of Object.entries(deployment.contracts)) {
    if ((await rpc.call("eth_getCode", [contract, "latest"])) !== "0x") continue;
    throw new SealbookError(
      "conflict",
      `${file} has ${name} at ${contract}, but chain ${rpc.chainId} has no code there: ` +
        "this is another chain, or an older copy of it",
    );
  }
}

async function ensure(
  { rpc, administrator, file, fees, onDeployed }: DeploymentOptions,
  name: ContractName,
  transaction: () => Promise<{ data: string }>,
): Promise<Address> {
  const known = await readFileOf(file);
  if (known !== undefined && known.chainId !== rpc.chainId) {
    throw new SealbookError("conflict", `${file} is of chain ${known.chainId}, the node's chain is ${rpc.chainId}`);
  }
  const standing = known?.contracts[name];
  if (standing !== undefined) return standing;
  const { data } = await transaction();
  const { hash, nonce, block } = await sendAdministratorCall(rpc, administrator, { data, fees });
  const contract = getCreateAddress({ from: administrator.address, nonce });
  if ((await rpc.call("eth_getCode", [contract, "latest"])) === "0x") {
    throw new SealbookError("chain_reverted", `${name} was not deployed by transaction ${hash}`);
  }
  await mkdir(dirname(file), { recursive: true });
  const content: z.input<typeof DeploymentFile> = {
    chainId: rpc.chainId,
    firstBlock: known?.firstBlock ?? block,
    contracts: { ...known?.contracts, [name]: contract },
  };
  await writeFileDurably(file, [Buffer.from(`${JSON.stringify(content, null, 2)}\n`)]);
  onDeployed(name, contract);
  return contract;
}

async function readFileOf(file: string): Promise<z.infer<typeof DeploymentFile> | undefined> {
  if (!existsSync(file)) return undefined;
  const parsed = DeploymentFile.safeParse(JSON.parse(await readFile(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new SealbookError(
    "config_invalid",
    `${file} is not a list of contract addresses: ${z.prettifyError(parsed.error)}`,
  );
}
