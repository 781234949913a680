import { existsSync } from "node:fs";
import { copyFile, mkdir, rename } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { assertDeployed, deploymentFile, readDeployment } from "../chain/contracts/deployment.ts";
import { connectRpc, fetchChainId } from "../chain/rpc/connect.ts";
import { NODE, peerTlsOptions } from "../chain/rpc/peer-tls.ts";
import type { ChainConfig, Config, NodeConfig } from "../config/config.ts";
import type { DatabaseConfig } from "../config/notations.ts";
import { SealbookError } from "../errors.ts";
import { isLoopback } from "../kit/network-list.ts";
import { holdDataFolder } from "./data-folder.ts";

/** Returns whether a new folder can take the place of the old one: its chain and its journal are of this machine. */
export function canBeginAnew({ node, dataDirectory }: ChainConfig, database: DatabaseConfig): boolean {
  const isOwnChain = node.kind === "embedded" || node.urls.every((url) => isLoopback(new URL(url).hostname));
  return isOwnChain && database.kind === "sqlite" && database.file.startsWith(`${dataDirectory}${sep}`);
}

/**
 * Begins a new data folder, and keeps the old one beside it. The addresses of contracts that the node's chain has go
 * into the new one.
 * @returns the new path of the old folder; `undefined` when there was none
 * @throws SealbookError `config_invalid` for another machine's chain or journal; `conflict` while a server uses the
 * folder
 */
export async function beginAnew({ chain, database, dataDirectory }: Config): Promise<string | undefined> {
  if (!canBeginAnew(chain, database)) {
    throw new SealbookError(
      "config_invalid",
      "--fresh is for the embedded chain or a node on this machine, with the journal in DATA_DIR; " +
        "set DATA_DIR and DATABASE_URL to new places instead",
    );
  }
  if (!existsSync(dataDirectory)) return undefined;
  const lock = await holdDataFolder(dataDirectory);
  try {
    const chainId = chain.node.kind === "remote" ? await deployedChain(chain.node, dataDirectory) : undefined;
    let number = 1;
    while (existsSync(`${dataDirectory}-${number}`)) number += 1;
    const old = `${dataDirectory}-${number}`;
    await rename(dataDirectory, old);
    if (chainId !== undefined) {
      const file = deploymentFile(dataDirectory, chainId);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await copyFile(deploymentFile(old, chainId), file);
    }
    return old;
  } finally {
    lock.release();
  }
}

/** Returns the id of the node's chain if it has the contracts of the folder; otherwise `undefined`. */
async function deployedChain(
  { urls: [url = ""], tls }: Extract<NodeConfig, { kind: "remote" }>,
  dataDirectory: string,
): Promise<number | undefined> {
  const options = peerTlsOptions(tls, NODE);
  const chainId = await fetchChainId([url], options);
  const file = deploymentFile(dataDirectory, chainId);
  const deployment = await readDeployment(file);
  if (deployment === undefined) return undefined;
  const rpc = connectRpc(url, chainId, options);
  try {
    await assertDeployed(rpc, deployment, file);
    return chainId;
  } catch (error) {
    if (error instanceof SealbookError && error.code === "conflict") return undefined;
    throw error;
  } finally {
    rpc.close();
  }
}
