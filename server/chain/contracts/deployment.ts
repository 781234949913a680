import * as z from "zod";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BaseWallet, getAddress, getCreateAddress } from "ethers";
import type { Address, ContractAddresses, ContractName } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";
import { writeFileDurably } from "../../kit/durable-file.ts";
import { sendAdministratorCall } from "../transactions/administrator-call.ts";
import type { FeeConfig } from "../transactions/fees.ts";
import type { Rpc } from "../rpc/rpc.ts";
import { type ConstructorArguments, creationData, DeployedContract, describeCode, fetchCode } from "./contract-code.ts";

const ADDRESS = "0x[0-9a-fA-F]{40}";
const NAME = new RegExp(
  "^chain (?<chainId>\\d+) from block (?<firstBlock>\\d+): " +
    `SessionRegistry (?<SessionRegistry>${ADDRESS}), ` +
    `EventTable (?<EventTable>${ADDRESS}), ` +
    `ProofAnchor (?<ProofAnchor>${ADDRESS})$`,
);

const Fields = z.object({
  chainId: z.coerce.number(),
  firstBlock: z.coerce.number(),
  SessionRegistry: z.string(),
  EventTable: z.string(),
  ProofAnchor: z.string(),
});

/** Returns the name of a journal: the chain and the contracts that it belongs to. */
export function deploymentName({ chainId, firstBlock, contracts }: Deployment): string {
  const { SessionRegistry, EventTable, ProofAnchor } = contracts;
  return (
    `chain ${chainId} from block ${firstBlock}: SessionRegistry ${SessionRegistry}, ` +
    `EventTable ${EventTable}, ProofAnchor ${ProofAnchor}`
  );
}

/** Parses the name of a journal; `undefined` for any other text. */
export function parseDeploymentName(name: string): Deployment | undefined {
  const parts = Fields.safeParse(NAME.exec(name)?.groups);
  if (!parts.success) return undefined;
  const { chainId, firstBlock, ...contracts } = parts.data;
  return { chainId, firstBlock, contracts };
}

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
  /** Where each contract comes from. */
  deployed: z
    .object({
      SessionRegistry: DeployedContract.optional(),
      EventTable: DeployedContract.optional(),
      ProofAnchor: DeployedContract.optional(),
    })
    .optional(),
});

/** Seconds before a new administrator of the contracts can accept the role; the administrator can change it. */
export const ADMIN_DELAY_SECONDS = 86_400;

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

/** Stores the addresses of contracts, and where these come from as far as it is known. */
export async function writeDeployment(file: string, deployment: z.input<typeof DeploymentFile>): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFileDurably(file, [Buffer.from(`${JSON.stringify(deployment, null, 2)}\n`)]);
}

interface DeploymentOptions {
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
  const { lifetime, minimumToExtend } = options;
  const registry = await ensure(options, "SessionRegistry", [
    admin,
    ADMIN_DELAY_SECONDS,
    relayer,
    lifetime,
    minimumToExtend,
  ]);
  await ensure(options, "EventTable", [registry, admin, ADMIN_DELAY_SECONDS, relayer]);
  await ensure(options, "ProofAnchor", [admin, ADMIN_DELAY_SECONDS, relayer]);
  const deployment = await readDeployment(file);
  if (deployment === undefined) throw new SealbookError("internal", `${file} lacks a contract that was just deployed`);
  await assertDeployed(rpc, deployment, file);
  return deployment;
}

/** @throws SealbookError `conflict` when the chain does not have the contracts */
export async function assertDeployed(rpc: Rpc, deployment: Deployment, file: string): Promise<void> {
  assertChain(rpc, deployment.chainId, file);
  for (const [name, contract] of Object.entries(deployment.contracts)) {
    if ((await fetchCode(rpc, contract)) !== "0x") continue;
    throw new SealbookError(
      "conflict",
      `${file} has ${name} at ${contract}, but chain ${rpc.chainId} has no code there: ` +
        "this is another chain, or an older copy of it",
    );
  }
}

function assertChain(rpc: Rpc, chainId: number, file: string): void {
  if (chainId === rpc.chainId) return;
  throw new SealbookError("conflict", `${file} is of chain ${chainId}, the node's chain is ${rpc.chainId}`);
}

async function ensure(
  { rpc, administrator, file, fees, onDeployed }: DeploymentOptions,
  name: ContractName,
  constructorArguments: ConstructorArguments,
): Promise<Address> {
  const known = await readFileOf(file);
  if (known !== undefined) assertChain(rpc, known.chainId, file);
  const standing = known?.contracts[name];
  if (standing !== undefined) return standing;
  const data = creationData(name, constructorArguments);
  const { hash, nonce, block } = await sendAdministratorCall(rpc, administrator, { data, fees });
  const contract = getCreateAddress({ from: administrator.address, nonce });
  const code = await fetchCode(rpc, contract);
  if (code === "0x") throw new SealbookError("chain_reverted", `${name} was not deployed by transaction ${hash}`);
  const origin = { transaction: hash, block, constructorArguments: constructorArguments.map(String) };
  await writeDeployment(file, {
    chainId: rpc.chainId,
    firstBlock: known?.firstBlock ?? block,
    contracts: { ...known?.contracts, [name]: contract },
    deployed: { ...known?.deployed, [name]: { ...origin, ...describeCode(code) } },
  });
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
