import { getAddress, getBytes } from "ethers";
import type { Deployment } from "../chain/contracts/deployment.ts";
import { EventTableClient } from "../chain/contracts/event-table-client.ts";
import { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import { SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import type { ValidatorNames } from "../chain/node/node-block.ts";
import { type Rpc, unavailable } from "../chain/rpc/rpc.ts";
import type { RowAudit } from "../records/index.ts";
import { AddressReader } from "./chain/address-reader.ts";
import { AnchorReader } from "./chain/anchor-reader.ts";
import { BlockReader } from "./chain/block-reader.ts";
import { ContractNames } from "./chain/contract-names.ts";
import { TransactionReader } from "./chain/transaction-reader.ts";
import type { ChainDecoder } from "./decoder.ts";
import type { ExploredChain, SearchResult } from "./responses.ts";
import { fetchHead } from "../chain/rpc/query.ts";

/** Sources of the explorer. */
export interface ChainExplorerDeps {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  readonly validators: ValidatorNames;
  readonly decoder: ChainDecoder;
  readonly audit: RowAudit;
}

/** The kinds of search terms. */
export type Sought =
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "address"; readonly address: string };

/**
 * The public data of the chain, decoded with the ABIs of its contracts. Does not query the journal. Hashes are `0x` and
 * 64 lower-case digits. Data that are not on the chain are `undefined`.
 */
export class ChainExplorer {
  readonly #deps: ChainExplorerDeps;
  readonly #sessions: SessionRegistryClient;
  readonly blocks: BlockReader;
  readonly transactions: TransactionReader;
  readonly anchors: AnchorReader;
  readonly addresses: AddressReader;

  constructor(deps: ChainExplorerDeps) {
    const { rpc, deployment, validators } = deps;
    const { contracts } = deployment;
    this.#deps = deps;
    const names = new ContractNames(contracts);
    this.#sessions = new SessionRegistryClient(rpc, contracts.SessionRegistry);
    this.blocks = new BlockReader(rpc, names, validators);
    const sources = {
      ...deps,
      names,
      blocks: this.blocks,
      sessions: this.#sessions,
      anchors: new ProofAnchorClient(rpc, contracts.ProofAnchor, { firstBlock: deployment.firstBlock }),
      eventTable: new EventTableClient(rpc, contracts.EventTable),
    };
    this.transactions = new TransactionReader(sources);
    this.anchors = new AnchorReader(sources);
    this.addresses = new AddressReader(sources);
  }

  async chain(): Promise<ExploredChain> {
    const { rpc, deployment } = this.#deps;
    const head = await this.blocks.summary(await fetchHead(rpc));
    if (head === undefined) throw unavailable(new Error("the node does not have its own newest block"));
    return { chain_id: rpc.chainId, first_block: deployment.firstBlock, contracts: deployment.contracts, head };
  }

  /** Finds everything with a number, a hash or an address; the form of a hash does not determine its kind. */
  async search(sought: Sought): Promise<SearchResult[]> {
    if (sought.kind === "address") return [{ kind: "address", address: getAddress(sought.address) }];
    if (sought.kind === "number") {
      const block = await this.blocks.summary(sought.number);
      return block === undefined ? [] : [{ kind: "block", number: block.number, hash: block.hash }];
    }
    const { hash } = sought;
    const [block, isTransaction, anchor, session] = await Promise.all([
      this.blocks.summary(hash),
      this.transactions.has(hash),
      this.anchors.anchor(hash),
      this.#sessions.sessionOf(getBytes(hash)),
    ]);
    return [
      ...(block === undefined ? [] : [{ kind: "block", number: block.number, hash } as const]),
      ...(isTransaction ? [{ kind: "transaction", hash } as const] : []),
      ...(anchor === undefined ? [] : [{ kind: "anchor", hash, size: anchor.size } as const]),
      ...(session === undefined ? [] : [{ kind: "session", hash } as const]),
    ];
  }
}
