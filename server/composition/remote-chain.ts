import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { assertDeployed, deploymentFile, readDeployment } from "../chain/contracts/deployment.ts";
import { fetchChainId, connectNodes } from "../chain/rpc/connect.ts";
import { NODE, PeerTlsError, peerTlsOptions } from "../chain/rpc/peer-tls.ts";
import type { ChainConfig, NodeConfig } from "../config/chain.ts";
import { SealbookError } from "../errors.ts";
import type { ChainLinkOptions, ContractsLink } from "./chain-link.ts";

/** Connects to the configured nodes and reads where the contracts are. */
export async function openRemoteChain(
  { dataDirectory, administratorKey }: ChainConfig,
  { urls, tls: nodeTls }: Extract<NodeConfig, { kind: "remote" }>,
  { guard, mayReplaceContracts = false, onEvent }: ChainLinkOptions,
  resources: AsyncDisposableStack,
): Promise<Omit<ContractsLink, "close">> {
  const tls = peerTlsOptions(nodeTls, NODE);
  let reachable = true;
  const chainId = await fetchChainId(urls, tls).catch((error: unknown) => {
    // A server that starts while its node is unavailable still responds from its journal, and catches up later.
    reachable = false;
    onEvent({ kind: "unreachable", error });
    return onlyKnownChain(dataDirectory, error);
  });
  const rpc = connectNodes(urls, chainId, {
    tls,
    onFailOver: (event) => onEvent({ kind: "failed_over", event }),
    ...(guard === undefined ? {} : { wrap: (each) => guard.guard(each) }),
  });
  resources.defer(() => rpc.close());
  const file = deploymentFile(dataDirectory, chainId);
  const deployment = await readDeployment(file);
  if (deployment === undefined) {
    throw new SealbookError(
      "config_invalid",
      `${file} does not name the contracts of chain ${chainId}: deploy them with ` +
        "npx hardhat run scripts/deploy.ts --network remote",
    );
  }
  // A recorded chain that is not there is like a node that does not respond: the journal still is.
  if (reachable && guard?.isRecorded !== true) await assertDeployed(rpc, deployment, file);
  guard?.begin(deployment.contracts, mayReplaceContracts);
  if (reachable) await rpc.identify?.().catch((error: unknown) => onEvent({ kind: "unreachable", error }));
  const administrator = administratorKey === undefined ? undefined : new Wallet(administratorKey);
  return { rpc, deployment, administrator, embedded: undefined };
}

/** Returns the id of the chain that the contracts were deployed to, when there is exactly one. */
async function onlyKnownChain(dataDirectory: string, cause: unknown): Promise<number> {
  const folder = join(dataDirectory, "deployments");
  const known = existsSync(folder) ? (await readdir(folder)).filter((name) => /^\d+\.json$/.test(name)) : [];
  const [only, another] = known;
  if (only === undefined || another !== undefined) {
    const isDistrust = cause instanceof SealbookError && cause.cause instanceof PeerTlsError;
    const reason = isDistrust ? `no connection to RPC_URL: ${cause.message}` : "the node at RPC_URL does not respond";
    throw new SealbookError("chain_unavailable", `${reason}, and it is not known which chain it is`, { cause });
  }
  return Number.parseInt(only, 10);
}
