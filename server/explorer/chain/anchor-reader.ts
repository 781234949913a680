import { getBytes } from "ethers";
import type { PageRequest } from "../explorer.ts";
import type { ExploredAnchor, Page } from "../explored.ts";
import type { AnchorChain } from "../../chain/contracts/anchor.ts";
import type { Deployment } from "../../chain/contracts/deployment.ts";
import { INTERFACES } from "../../chain/contracts/interfaces.ts";
import { askQuantity } from "../../chain/rpc/quantity.ts";
import type { Rpc } from "../../chain/rpc/rpc.ts";
import type { BlockReader } from "./block-reader.ts";
import { newestLogs } from "./newest-logs.ts";
import type { NodeLog } from "./node-responses.ts";

const { ProofAnchor } = INTERFACES;
const ANCHORED = ProofAnchor.getEvent("Anchored").topicHash;

/** Finds anchors. */
export class AnchorReader {
  readonly #rpc: Rpc;
  readonly #deployment: Deployment;
  readonly #blocks: BlockReader;
  readonly #anchors: Pick<AnchorChain, "anchorOf">;

  constructor(rpc: Rpc, deployment: Deployment, blocks: BlockReader, anchors: Pick<AnchorChain, "anchorOf">) {
    this.#rpc = rpc;
    this.#deployment = deployment;
    this.#blocks = blocks;
    this.#anchors = anchors;
  }

  async newest({ limit, cursor }: PageRequest): Promise<Page<ExploredAnchor>> {
    const head = await askQuantity(this.#rpc, "eth_blockNumber", []);
    const { logs, next } = await this.#search([ANCHORED], this.#deployment.firstBlock, head, limit, cursor);
    return { items: await this.#explored(logs), next };
  }

  async anchor(hash: string): Promise<ExploredAnchor | undefined> {
    const first = await this.#anchors.anchorOf(getBytes(hash));
    if (first === undefined) return undefined;
    // The contract says which block it was, and only the first time left an event.
    const { logs } = await this.#search([ANCHORED, hash], first.blockNumber, first.blockNumber, 1, undefined);
    return (await this.#explored(logs))[0];
  }

  #search(topics: string[], firstBlock: number, head: number, limit: number, cursor: string | undefined) {
    const filters = [{ address: [this.#deployment.contracts.ProofAnchor], topics }];
    return newestLogs(this.#rpc, { filters, firstBlock, head, limit, cursor });
  }

  async #explored(logs: readonly NodeLog[]): Promise<ExploredAnchor[]> {
    const blocks = await this.#blocks.summaries(logs.map(({ blockNumber }) => blockNumber));
    return logs.flatMap((log) => {
      const block = blocks.get(log.blockNumber);
      const event = ProofAnchor.parseLog(log);
      if (block === undefined || event === null) return [];
      const hash = String(event.args.getValue("hash"));
      return [{ hash, size: Number(event.args.getValue("size")), block, transactionHash: log.transactionHash }];
    });
  }
}
