import { openContracts } from "../server/composition/chain.ts";
import type { ContractsLink } from "../server/composition/chain-link.ts";
import { EMBEDDED_CHAIN_ID } from "../server/composition/embedded-chain.ts";
import { deploymentFile, readDeployment } from "../server/chain/contracts/deployment.ts";
import { nodeErrorIn, rejectionOf } from "../server/chain/rpc/rpc.ts";
import type { ChainConfig } from "../server/config/config.ts";
import { holdAdministration } from "../server/composition/data-folder.ts";
import { CommandFailure } from "./commands/run-command.ts";
import { SealbookError } from "../server/errors.ts";

/** Access to an open chain. */
export interface ChainUse {
  /** Whether the work only reads, so that concurrent administration of accounts and relayers is permitted. */
  readonly onlyReads?: boolean;
}

/**
 * Opens the chain, with or without a running server, for the duration of the work.
 * @throws CommandFailure when there is no chain, or it rejects requests
 */
export async function usingChain(
  config: ChainConfig,
  work: (link: ContractsLink) => Promise<void>,
  { onlyReads = false }: ChainUse = {},
): Promise<void> {
  await assertChainMade(config);
  await using opened = new AsyncDisposableStack();
  // Two concurrent runs would start the same chain and use the same nonces.
  const lock = await holdAdministration(config.dataDirectory);
  let isLocked = true;
  const release = (): void => {
    if (isLocked) lock.release();
    isLocked = false;
  };
  opened.defer(release);
  try {
    const link = await openContracts(config, { share: true, onEvent: () => undefined });
    opened.defer(() => link.close());
    if (onlyReads) release();
    await work(link);
  } catch (error) {
    const refusal = nodeErrorIn(error);
    // Other errors with this cause say more than the node does.
    const isBare = refusal !== undefined && error instanceof SealbookError && error.message === rejectionOf(refusal);
    if (!isBare) throw error;
    throw new CommandFailure(`the chain's node rejects the request: ${refusal.message}`);
  }
}

/** Reports a mistyped folder instead of creating a chain in it. */
export async function assertChainMade({ node, dataDirectory }: ChainConfig): Promise<void> {
  if (node.kind === "remote") return;
  if ((await readDeployment(deploymentFile(dataDirectory, EMBEDDED_CHAIN_ID))) !== undefined) return;
  throw new CommandFailure(
    `there are no contracts in ${dataDirectory} yet: the first start of the server deploys them; ` +
      "for another chain than the embedded one set RPC_URL",
  );
}
