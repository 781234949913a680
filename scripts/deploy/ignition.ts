import * as z from "zod";
import {
  deploy,
  type DeploymentResult,
  DeploymentResultType,
  listTransactions,
  trackTransaction,
  wipe,
  TransactionStatus,
} from "@nomicfoundation/ignition-core";
import { type BaseWallet, getAddress } from "ethers";
import Sealbook from "../../ignition/modules/Sealbook.ts";
import type { SessionRules } from "../../server/chain/contracts/session-registry-client.ts";
import { fetchQuantity, lookUp } from "../../server/chain/rpc/query.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import type { Address, ContractAddresses } from "../../server/chain/transaction.ts";
import { type FeeConfig, FeeSource } from "../../server/chain/transactions/fees.ts";
import { SealbookError } from "../../server/errors.ts";
import { builtContracts } from "./build.ts";
import { SentTransactions, signingProvider } from "./signing-provider.ts";

/** Chains of validators are final with the block. Elsewhere `check` shows whether the contracts are still there. */
const TIMES = { requiredConfirmations: 1, blockPollingInterval: 250 };

export interface IgnitionRun extends SessionRules {
  readonly rpc: Rpc;
  /** Pays for the deployment and administers the contracts. */
  readonly administrator: BaseWallet;
  readonly relayer: Address;
  readonly fees: FeeConfig;
  /** Folder in which an interrupted deployment is continued; unset for a chain that ends with this process. */
  readonly folder?: string;
  readonly onSent: (hash: string) => void;
}

/**
 * Deploys the contracts with the module `ignition/modules/Sealbook.ts`, or continues an interrupted deployment.
 * @throws SealbookError `chain_unavailable` when the fee is refused; `chain_reverted` with Ignition's reason
 */
export async function deployWithIgnition(run: IgnitionRun): Promise<ContractAddresses> {
  const { rpc, administrator, relayer, lifetime, minimumToExtend, fees, folder, onSent } = run;
  const quote = await new FeeSource(rpc, fees).quote();
  if (quote.fault !== undefined) throw new SealbookError("chain_unavailable", quote.fault);
  const { fee, limit, isFixed } = quote;
  const sent = folder === undefined ? undefined : new SentTransactions(folder);
  const provider = signingProvider(rpc, administrator, quote, async (nonce, hash) => {
    await sent?.add(nonce, hash);
    onSent(hash);
  });
  const attempt = () =>
    deploy({
      config: TIMES,
      artifactResolver: builtContracts,
      provider,
      ...(folder === undefined ? {} : { deploymentDir: folder }),
      ignitionModule: Sealbook,
      deploymentParameters: {
        [Sealbook.id]: { administrator: administrator.address, relayer, lifetime, minimumToExtend },
      },
      accounts: [administrator.address],
      ...(fee.kind === "legacy" ? { gasPrice: fee.max } : {}),
      maxFeePerGas: fee.max,
      maxPriorityFeePerGas: fee.tip,
      maxFeePerGasLimit: limit,
      disableFeeBumping: isFixed,
    });
  const result = await withLostTransactions(attempt, async ({ nonce, future }) => {
    if (folder === undefined || sent === undefined) return false;
    for (const hash of await sent.withNonce(nonce)) {
      if ((await lookUp(rpc, z.looseObject({}), "eth_getTransactionByHash", [hash])) === undefined) continue;
      await trackTransaction(folder, hash, provider, TIMES.requiredConfirmations);
      return true;
    }
    // Killed before it was sent.
    if ((await fetchQuantity(rpc, "eth_getTransactionCount", [administrator.address, "pending"])) > nonce) return false;
    await wipe(folder, builtContracts, future);
    return true;
  });
  if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT) {
    const isContinued = folder !== undefined && result.type !== DeploymentResultType.EXECUTION_ERROR;
    const remedy = isContinued ? `; to begin the deployment anew, remove ${folder}` : "";
    throw new SealbookError("chain_reverted", `the deployment ended early: ${reasonOf(result)}${remedy}`);
  }
  const addressOf = (name: keyof ContractAddresses): Address =>
    getAddress(result.contracts[Sealbook.results[name].id]?.address ?? "");
  return {
    SessionRegistry: addressOf("SessionRegistry"),
    EventTable: addressOf("EventTable"),
    ProofAnchor: addressOf("ProofAnchor"),
  };
}

/** Returns the hash of the transaction that deployed each contract, by its address. */
export async function deployingTransactions(folder: string): Promise<ReadonlyMap<Address, string>> {
  const transactions = await listTransactions(folder, builtContracts);
  return new Map(
    transactions.flatMap(({ status, address, txHash }) =>
      status === TransactionStatus.SUCCESS && address !== undefined ? [[getAddress(address), txHash] as const] : [],
    ),
  );
}

/** Ignition's error for a transaction of an earlier run of which it has written the nonce, but not the hash. */
const LOST = /^HHE10410: .* for future (\S+)\.\n.* with nonce (\d+) /;

/** A transaction that an earlier run may have sent. */
interface LostTransaction {
  readonly nonce: number;
  /** What it was to deploy. */
  readonly future: string;
}

/**
 * Attempts the deployment until no transaction of an earlier run is lost.
 * @param settle Settles whether the transaction was sent; `false` when that is not known
 */
async function withLostTransactions(
  attempt: () => Promise<DeploymentResult>,
  settle: (lost: LostTransaction) => Promise<boolean>,
): Promise<DeploymentResult> {
  for (const settled = new Set<string>(); ;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "HardhatError") throw error;
      const [, future, nonce] = LOST.exec(error.message) ?? [];
      if (future === undefined || settled.has(future) || !(await settle({ nonce: Number(nonce), future })))
        throw new SealbookError("chain_reverted", error.message, { cause: error });
      settled.add(future);
    }
  }
}

function reasonOf(result: Exclude<DeploymentResult, { type: DeploymentResultType.SUCCESSFUL_DEPLOYMENT }>): string {
  if (result.type !== DeploymentResultType.EXECUTION_ERROR) {
    return Object.entries(result.errors)
      .map(([future, errors]) => `${future}: ${errors.join("; ")}`)
      .join("; ");
  }
  const failed = result.failed.map(({ futureId, error }) => `${futureId}: ${error}`);
  const waiting = result.timedOut.map(({ futureId }) => `${futureId} is not mined; run the deployment again`);
  return [...failed, ...waiting].join("; ");
}
