import { getBytes, hexlify } from "ethers";
import type { AnchorList, ExploredAnchor } from "../responses.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { Rpc } from "../../chain/rpc/rpc.ts";
import type { BlockReader, PageRequest } from "./block-reader.ts";
import { type LogPosition, newestLogs } from "./newest-logs.ts";
import type { NodeLog } from "../../chain/node/log.ts";

/** Finds and lists anchors. */
export class AnchorReader {
  readonly #rpc: Rpc;
  readonly #blocks: BlockReader;
  readonly #client: ProofAnchorClient;

  constructor(rpc: Rpc, blocks: BlockReader, client: ProofAnchorClient) {
    this.#rpc = rpc;
    this.#blocks = blocks;
    this.#client = client;
  }

  /** Lists anchors, newest first. A page can have fewer entries than requested, or none, without being the last one. */
  async newest({ limit, cursor }: PageRequest<LogPosition>): Promise<AnchorList> {
    const { firstBlock } = this.#client;
    const filters = [this.#client.logFilter()];
    const head = await this.#client.newestBlock();
    const { logs, next } = await newestLogs(this.#rpc, { filters, firstBlock, head, limit, cursor });
    return { anchors: await this.#explored(logs), next };
  }

  async anchor(hash: string): Promise<ExploredAnchor | undefined> {
    const first = await this.#client.anchorOf(getBytes(hash));
    if (first === undefined) return undefined;
    // The contract returns the block; only the first anchor of a hash emitted an event.
    const { blockNumber } = first;
    const filters = [this.#client.logFilter(hash)];
    const search = { filters, firstBlock: blockNumber, head: blockNumber, limit: 1, cursor: undefined };
    return (await this.#explored((await newestLogs(this.#rpc, search)).logs))[0];
  }

  async #explored(logs: readonly NodeLog[]): Promise<ExploredAnchor[]> {
    const blocks = await this.#blocks.summaries(logs.map(({ blockNumber }) => blockNumber));
    return logs.flatMap((log) => {
      const block = blocks.get(log.blockNumber);
      const content = this.#client.contentOf(log);
      if (block === undefined || content === undefined) return [];
      return [{ hash: hexlify(content.hash), size: content.size, tx_hash: log.transactionHash, block }];
    });
  }
}
