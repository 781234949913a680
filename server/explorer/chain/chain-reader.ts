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
import { CallDecoder } from "./call-decoder.ts";
import { TransactionReader } from "./transaction-reader.ts";

/**
 * Creates an explorer of the chain with the contracts of a deployment.
 * @param former Contracts with anchors, also former ones
 */
export function chainExplorer(
  rpc: Rpc,
  deployment: Deployment,
  former: readonly AnchorContract[],
  names: ValidatorNames,
  audit: RowAudit,
): ChainExplorer {
  const { contracts } = deployment;
  const addresses = former.map(({ address }) => address);
  const firstBlock = Math.min(deployment.firstBlock, ...former.map((each) => each.firstBlock));
  const decoder = new CallDecoder(contracts, addresses);
  const proofAnchor = new ProofAnchorClient(rpc, contracts.ProofAnchor, { firstBlock, former: addresses });
  const sessions = new SessionRegistryClient(rpc, contracts.SessionRegistry);
  const eventTable = new EventTableClient(rpc, contracts.EventTable);
  const blocks = new BlockReader(rpc, decoder, names);
  const transactions = new TransactionReader(rpc, decoder, blocks, proofAnchor, eventTable, audit);
  const anchors = new AnchorReader(rpc, blocks, proofAnchor);
  const addressReader = new AddressReader(rpc, deployment, decoder, blocks, names, sessions);
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
    transaction: (hash) => withoutNodeErrors(() => transactions.transaction(hash)),
    anchors: (page) => withoutNodeErrors(() => anchors.newest(page)),
    anchor: (hash) => withoutNodeErrors(() => anchors.anchor(hash)),
    address: (address) => withoutNodeErrors(() => addressReader.address(address)),
    activity: (address, page) => withoutNodeErrors(() => addressReader.activity(address, page)),
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
