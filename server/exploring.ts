import type { Deployment } from "./chain/deployment.ts";
import { chainExplorer } from "./chain/explorer/chain-explorer.ts";
import type { ValidatorNames } from "./chain/receipts.ts";
import type { Rpc } from "./chain/rpc/rpc.ts";
import type { ExplorerParts } from "./http/explorer/router.ts";
import { rateLimit } from "./http/limits.ts";

export interface ExploringOptions {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  readonly validatorNames: ValidatorNames;
  /** Questions of one network address a minute. */
  readonly explorerRate: number;
}

/** Puts the explorer of the chain together. */
export function createExploring({ rpc, deployment, validatorNames, explorerRate }: ExploringOptions): ExplorerParts {
  return {
    explorer: chainExplorer(rpc, deployment, validatorNames),
    questionsPerSource: rateLimit(explorerRate, "questions to the explorer from this network address"),
  };
}
