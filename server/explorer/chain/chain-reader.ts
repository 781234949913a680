import { getBytes } from "ethers";
import type { ChainExplorer } from "../explorer.ts";
import { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { Deployment } from "../../chain/contracts/deployment.ts";
import type { ValidatorNames } from "../../chain/node/node-block.ts";
import { fetchQuantity } from "../../chain/rpc/query.ts";
import { NodeError, type Rpc, unavailable } from "../../chain/rpc/rpc.ts";
import { EventTableClient } from "../../chain/contracts/event-table-client.ts";
import { SessionRegistryClient } from "../../chain/contracts/session-registry-client.ts";
import type { AnchorContract } from "../../journal/contract-store.ts";
import type { RowAudit } from "../../records/index.ts";
import { AddressReader } from "./address-reader.ts";
import { AnchorReader } from "./anchor-reader.ts";
import { BlockReader } from "./block-reader.ts";
import { ContractNames } from "./contract-names.ts";
import type { ThreadedDecoder } from "./threaded-decoder.ts";
import { TransactionReader } from "./transaction-reader.ts";

export interface ChainExplorerDeps {
  readonly decoder: ThreadedDecoder;
  readonly audit: RowAudit;
  /** Contracts with anchors of the journal, also former ones. */
  readonly former: readonly AnchorContract[];
}

/** Creates an explorer of the chain with the contracts of a deployment. */
export function chainExplorer(
  rpc: Rpc,
  deployment: Deployment,
  validators: ValidatorNames,
  { decoder, audit, former }: ChainExplorerDeps,
): ChainExplorer {
  const { contracts } = deployment;
  const firstBlock = Math.min(deployment.firstBlock, ...former.map((each) => each.firstBlock));
  const anchorContracts = former.map(({ address }) => address);
  const names = new ContractNames(contracts, anchorContracts);
  const proofAnchor = new ProofAnchorClient(rpc, contracts.ProofAnchor, { firstBlock, former: anchorContracts });
  const sessions = new SessionRegistryClient(rpc, contracts.SessionRegistry);
  const eventTable = new EventTableClient(rpc, contracts.EventTable);
  const blocks = new BlockReader(rpc, names, validators);
  const transactions = new TransactionReader(rpc, names, decoder, blocks, proofAnchor, eventTable, audit);
  const anchors = new AnchorReader(rpc, blocks, proofAnchor);
  const addresses = new AddressReader(rpc, deployment, names, decoder, blocks, validators, sessions);
  const newestNumber = (): Promise<number> => fetchQuantity(rpc, "eth_blockNumber", []);

  return {
    chain: () =>
      withoutNodeErrors(async () => {
        const head = await blocks.summary(await newestNumber());
        if (head === undefined) throw unavailable(new Error("the node does not have its own newest block"));
        return { chainId: rpc.chainId, contracts, firstBlock, head };
      }),
    blocks: (page) => withoutNodeErrors(async () => blocks.newest(await newestNumber(), page)),
    block: (id, page) => withoutNodeErrors(() => blocks.block(id, page)),
    transaction: (hash, source) => withoutNodeErrors(() => transactions.transaction(hash, source)),
    hasTransaction: (hash) => withoutNodeErrors(() => transactions.has(hash)),
    anchors: (page) => withoutNodeErrors(() => anchors.newest(page)),
    anchor: (hash) => withoutNodeErrors(() => anchors.anchor(hash)),
    address: (address) => withoutNodeErrors(() => addresses.address(address)),
    activity: (address, page, source) => withoutNodeErrors(() => addresses.activity(address, page, source)),
    knowsSession: (tokenHash) =>
      withoutNodeErrors(async () => (await sessions.sessionOf(getBytes(tokenHash))) !== undefined),
  };
}

/** Converts errors of the node: for a caller, a node that refuses a query is unavailable. */
async function withoutNodeErrors<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof NodeError ? unavailable(error) : error;
  }
}
