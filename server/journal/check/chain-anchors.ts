import type { LoggedAnchor } from "../../chain/contracts/anchors.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import { ContradictionError, LaggingError, unavailable } from "../../chain/rpc/rpc.ts";
import { equalBytes, hex, prefixedHex } from "../../kit/bytes.ts";
import type { Database } from "../engine/database.ts";
import { isAnchorOf } from "../integrity/anchor-code.ts";
import type { ComparedBlock } from "../findings/findings-file.ts";
import type { JournalKey } from "../integrity/journal-key.ts";

export interface ChainAnchorsDeps {
  readonly database: Database;
  readonly key: JournalKey;
  readonly chain: Pick<ProofAnchorClient, "blockHash" | "hasAnchored" | "firstBlock" | "newestBlock" | "anchors">;
}

/** Compares the anchors on chain with the journal, which has each anchor before it is sent. */
export class ChainAnchors {
  readonly #deps: ChainAnchorsDeps;
  #reached: ComparedBlock | undefined;

  /** @param reached A block that was compared before */
  constructor(deps: ChainAnchorsDeps, reached?: ComparedBlock) {
    this.#deps = deps;
    this.#reached = reached;
  }

  /** The newest block that was compared. */
  get reached(): ComparedBlock | undefined {
    return this.#reached;
  }

  /**
   * Continues after the block that was reached, or begins at the contract's first one when that is not on chain.
   * @param onFinding Called with the subject of a divergence, and a message about it
   * @throws SealbookError `chain_unavailable`, also of a node that lacks its newest block
   */
  async run(onFinding: (subject: string, message: string) => void, isStopped: () => boolean): Promise<void> {
    const { chain } = this.#deps;
    if (!(await this.#isOnChain())) this.#reached = undefined;
    const first = this.#reached === undefined ? chain.firstBlock : this.#reached.number + 1;
    for (const { from, to } of blockRanges(first, await chain.newestBlock())) {
      if (isStopped()) return;
      const hash = await chain.blockHash(to);
      if (hash === undefined) throw unavailable(new LaggingError(`the node does not have block ${to}`));
      for (const anchor of await chain.anchors(from, to)) {
        const message = await this.#compare(anchor);
        if (message !== undefined) onFinding(`anchor ${hex(anchor.hash)}`, message);
      }
      this.#reached = { number: to, hash };
    }
  }

  async #compare({ hash, size, transactionHash, blockNumber }: LoggedAnchor): Promise<string | undefined> {
    const { database, key, chain } = this.#deps;
    const row = await database
      .selectFrom("anchors")
      .select(["id", "first_sequence", "size", "checkpoint", "code"])
      .where("hash", "=", hash)
      .executeTakeFirst();
    if (row !== undefined && isAnchorOf(key, { ...row, hash })) return undefined;
    if (!(await chain.hasAnchored(blockNumber, { hash, size })))
      throw unavailable(new ContradictionError(`the node returns an event that block ${blockNumber} does not have`));
    const what = size === 0 ? "a hash" : `a root over ${size} hashes`;
    const where = `block ${blockNumber}, transaction ${prefixedHex(transactionHash)}`;
    return `the chain has ${what} in ${where}, that the journal does not know`;
  }

  async #isOnChain(): Promise<boolean> {
    if (this.#reached === undefined) return false;
    return equalBytes(await this.#deps.chain.blockHash(this.#reached.number), this.#reached.hash);
  }
}

/** Maximum number of blocks per log query; within the limits of common nodes. */
const BLOCKS_AT_ONCE = 1_000;

/** A range of blocks, both ends included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** Splits a range of blocks into ranges for one log query each. */
export function* blockRanges(from: number, to: number): Generator<BlockRange> {
  for (let first = from; first <= to; first += BLOCKS_AT_ONCE)
    yield { from: first, to: Math.min(to, first + BLOCKS_AT_ONCE - 1) };
}
