import { getBytes, hexlify } from "ethers";
import type { AnchorList, ExploredAnchor } from "../responses.ts";
import type { PageRequest } from "./block-reader.ts";
import { type LogPosition, newestLogs } from "./newest-logs.ts";
import type { NodeLog } from "../../chain/node/log.ts";
import type { ExplorerSources } from "./sources.ts";

/** Finds and lists anchors. */
export class AnchorReader {
  readonly #sources: ExplorerSources;

  constructor(sources: ExplorerSources) {
    this.#sources = sources;
  }

  /** Lists anchors, newest first. A page can have fewer entries than requested, or none, without being the last one. */
  async newest({ limit, cursor }: PageRequest<LogPosition>): Promise<AnchorList> {
    const { firstBlock } = this.#sources.anchors;
    const filters = [this.#sources.anchors.logFilter()];
    const head = await this.#sources.anchors.newestBlock();
    const { logs, next } = await newestLogs(this.#sources.rpc, { filters, firstBlock, head, limit, cursor });
    return { anchors: await this.#explored(logs), next };
  }

  async anchor(hash: string): Promise<ExploredAnchor | undefined> {
    const first = await this.#sources.anchors.anchorOf(getBytes(hash));
    if (first === undefined) return undefined;
    // The contract returns the block; only the first anchor of a hash emitted an event.
    const { blockNumber } = first;
    const filters = [this.#sources.anchors.logFilter(hash)];
    const search = { filters, firstBlock: blockNumber, head: blockNumber, limit: 1, cursor: undefined };
    return (await this.#explored((await newestLogs(this.#sources.rpc, search)).logs))[0];
  }

  async #explored(logs: readonly NodeLog[]): Promise<ExploredAnchor[]> {
    const blocks = await this.#sources.blocks.summaries(logs.map(({ blockNumber }) => blockNumber));
    return logs.flatMap((log) => {
      const block = blocks.get(log.blockNumber);
      const content = this.#sources.anchors.contentOf(log);
      if (block === undefined || content === undefined) return [];
      return [{ hash: hexlify(content.hash), size: content.size, tx_hash: log.transactionHash, block }];
    });
  }
}
