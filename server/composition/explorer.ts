import type { Deployment } from "../chain/contracts/deployment.ts";
import { chainExplorer } from "../explorer/chain/chain-reader.ts";
import type { ValidatorNames } from "../chain/node/block.ts";
import type { Rpc } from "../chain/rpc/rpc.ts";
import type { ExplorerDeps } from "../explorer/routes.ts";
import { rateLimit } from "../http/limits.ts";

export interface ExploringOptions {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  readonly validatorNames: ValidatorNames;
  /** Questions of one network address a minute. */
  readonly explorerRate: number;
}

/** Puts the explorer of the chain together. */
export function createExplorer({ rpc, deployment, validatorNames, explorerRate }: ExploringOptions): ExplorerDeps {
  return {
    explorer: chainExplorer(rpc, deployment, validatorNames),
    requestsPerSource: rateLimit(explorerRate, "questions to the explorer from this network address"),
  };
}
