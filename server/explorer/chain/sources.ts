import type { Deployment } from "../../chain/contracts/deployment.ts";
import type { EventTableClient } from "../../chain/contracts/event-table-client.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { SessionRegistryClient } from "../../chain/contracts/session-registry-client.ts";
import type { ValidatorNames } from "../../chain/node/node-block.ts";
import type { Rpc } from "../../chain/rpc/rpc.ts";
import type { RowAudit } from "../../records/index.ts";
import type { ChainDecoder } from "../decoder.ts";
import type { BlockReader } from "./block-reader.ts";
import type { ContractNames } from "./contract-names.ts";

/** What the explorer's readers read from. */
export interface ExplorerSources {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  readonly names: ContractNames;
  readonly decoder: ChainDecoder;
  readonly blocks: BlockReader;
  readonly validators: ValidatorNames;
  readonly anchors: ProofAnchorClient;
  readonly eventTable: EventTableClient;
  readonly sessions: SessionRegistryClient;
  readonly audit: RowAudit;
}
