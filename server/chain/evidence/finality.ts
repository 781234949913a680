import { fetchBlock, NodeBlock } from "../node/node-block.ts";
import { fetchQuantity } from "../rpc/query.ts";
import type { Rpc } from "../rpc/rpc.ts";

/**
 * When a block counts as final: with a number of blocks on top of it (0: at once, as on chains whose blocks never
 * change), or when the chain calls it `finalized`.
 */
export type FinalityRule = number | "finalized";

const NumberedBlock = NodeBlock.pick({ number: true });

/** Knows which blocks of a chain are final. */
export class Finality {
  readonly #rpc: Pick<Rpc, "call">;
  readonly #rule: FinalityRule;
  /** The newest block known to be final: it stays final. */
  #known = -1;

  constructor(rpc: Pick<Rpc, "call">, rule: FinalityRule = 0) {
    this.#rpc = rpc;
    this.#rule = rule;
  }

  /**
   * Returns the number of the newest final block; -1 when there is none yet.
   * @param head Number of the newest block, when it is known
   * @throws SealbookError `chain_unavailable`
   */
  async newest(head?: number): Promise<number> {
    if (this.#rule === 0) return head ?? (await this.#head());
    const found =
      this.#rule === "finalized"
        ? (await fetchBlock(this.#rpc, "finalized", NumberedBlock))?.number
        : (head ?? (await this.#head())) - this.#rule;
    this.#known = Math.max(this.#known, found ?? -1);
    return this.#known;
  }

  async isFinal(block: number): Promise<boolean> {
    return this.#rule === 0 || block <= this.#known || block <= (await this.newest());
  }

  #head(): Promise<number> {
    return fetchQuantity(this.#rpc, "eth_blockNumber", []);
  }
}
