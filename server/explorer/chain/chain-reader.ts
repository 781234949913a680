import { getBytes } from "ethers";
import type { ChainExplorer } from "../explorer.ts";
import { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { Deployment } from "../../chain/contracts/deployment.ts";
import type { ValidatorNames } from "../../chain/node/node-block.ts";
import { fetchQuantity } from "../../chain/rpc/query.ts";
import { NodeError, type Rpc, unavailable } from "../../chain/rpc/rpc.ts";
import { EventTableClient } from "../../chain/contracts/event-table-client.ts";
import { SessionRegistryClient } from "../../chain/contracts/session-registry-client.ts";
import { AddressReader } from "./address-reader.ts";
import { AnchorReader } from "./anchor-reader.ts";
import { BlockReader } from "./block-reader.ts";
import { CallDecoder } from "./call-decoder.ts";
import { TransactionReader } from "./transaction-reader.ts";

/** Creates an explorer of the chain with the contracts of a deployment. */
export function chainExplorer(rpc: Rpc, deployment: Deployment, names: ValidatorNames): ChainExplorer {
  const { contracts, firstBlock } = deployment;
  const decoder = new CallDecoder(contracts);
  const proofAnchor = new ProofAnchorClient(rpc, contracts.ProofAnchor, { firstBlock });
  const sessions = new SessionRegistryClient(rpc, contracts.SessionRegistry);
  const eventTable = new EventTableClient(rpc, contracts.EventTable);
  const blocks = new BlockReader(rpc, decoder, names);
  const transactions = new TransactionReader(rpc, decoder, blocks, proofAnchor, eventTable);
  const anchors = new AnchorReader(rpc, blocks, proofAnchor);
  const addresses = new AddressReader(rpc, deployment, decoder, blocks, names, sessions);
  const newestNumber = (): Promise<number> => fetchQuantity(rpc, "eth_blockNumber", []);

  return {
    chain: () =>
      answered(async () => {
        const head = await blocks.summary(await newestNumber());
        if (head === undefined) throw unavailable(new Error("the node does not have its own newest block"));
        return { chainId: rpc.chainId, contracts, firstBlock, head };
      }),
    blocks: (page) => answered(async () => blocks.newest(await newestNumber(), page)),
    block: (id, page) => answered(() => blocks.block(id, page)),
    transaction: (hash) => answered(() => transactions.transaction(hash)),
    anchors: (page) => answered(() => anchors.newest(page)),
    anchor: (hash) => answered(() => anchors.anchor(hash)),
    address: (address) => answered(() => addresses.address(address)),
    activity: (address, page) => answered(() => addresses.activity(address, page)),
    knowsSession: (tokenHash) => answered(async () => (await sessions.sessionOf(getBytes(tokenHash))) !== undefined),
  };
}

/** Converts errors of the node: for a caller, a node that refuses a query is unavailable. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof NodeError ? unavailable(error) : error;
  }
}
