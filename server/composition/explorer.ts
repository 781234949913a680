import type { Deployment } from "../chain/contracts/deployment.ts";
import { chainExplorer } from "../explorer/chain/chain-reader.ts";
import type { ThreadedDecoder } from "../explorer/chain/threaded-decoder.ts";
import type { ValidatorNames } from "../chain/node/node-block.ts";
import type { AnchorContract } from "../journal/contract-store.ts";
import type { RowAudit } from "../records/index.ts";
import type { Rpc } from "../chain/rpc/rpc.ts";
import type { ExplorerDeps } from "../explorer/routes.ts";
import { rateLimit } from "../http/limits.ts";

export interface ExplorerOptions {
  readonly decoder: ThreadedDecoder;
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  /** Contracts with anchors of the journal. */
  readonly former: readonly AnchorContract[];
  readonly validatorNames: ValidatorNames;
  /** Requests per minute from one network address. */
  readonly explorerRate: number;
  readonly audit: RowAudit;
}

/** Builds the explorer of the chain. */
export function createExplorer({
  rpc,
  deployment,
  former,
  validatorNames,
  decoder,
  explorerRate,
  audit,
}: ExplorerOptions): ExplorerDeps {
  return {
    explorer: chainExplorer(rpc, deployment, validatorNames, { decoder, audit, former }),
    requestsPerSource: rateLimit(explorerRate, "requests to the explorer from this network address"),
  };
}
