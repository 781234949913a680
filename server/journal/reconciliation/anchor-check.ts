import type { ReconciliationProgress, ReconciliationStore } from "./divergence.ts";
import type { LoggedAnchor } from "../../chain/contracts/anchors.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { DivergenceTracker } from "./divergence-tracker.ts";
import { ContradictionError, unavailable } from "../../chain/rpc/rpc.ts";
import { restoreConfirmation } from "./confirmation-check.ts";
import { prefixedHex } from "../../kit/bytes.ts";

export interface AnchorCheckDeps {
  readonly store: Pick<ReconciliationStore, "anchor" | "reconfirm">;
  readonly chain: Pick<
    ProofAnchorClient,
    "address" | "blockOf" | "blockHash" | "hasAnchored" | "firstBlock" | "newestBlock" | "anchors"
  >;
  readonly divergences: DivergenceTracker;
}

/** Compares the anchors on chain with the journal, which stores each anchor before it is sent. */
export class AnchorCheck {
  readonly #deps: AnchorCheckDeps;

  constructor(deps: AnchorCheckDeps) {
    this.#deps = deps;
  }

  /**
   * @param after The newest block compared before; the check starts at the contract's first block when that is not on
   * chain
   * @returns the newest block compared
   */
  async run(
    after: ReconciliationProgress["block"],
    isStopped: () => boolean,
  ): Promise<ReconciliationProgress["block"]> {
    const { chain } = this.#deps;
    let reached = (await this.#isOnChain(after)) ? after : undefined;
    for (const { from, to } of blockRanges(
      reached === undefined ? chain.firstBlock : reached.number + 1,
      await chain.newestBlock(),
    )) {
      const hash = isStopped() ? undefined : await chain.blockHash(to);
      if (hash === undefined) break;
      for (const anchor of await chain.anchors(from, to)) await this.#compare(anchor);
      reached = { number: to, hash };
    }
    return reached;
  }

  async #compare({ hash, size, transactionHash, blockNumber }: LoggedAnchor): Promise<void> {
    const { store, chain, divergences } = this.#deps;
    const subject = { kind: "anchor", hash } as const;
    const transaction = `transaction ${prefixedHex(transactionHash)}`;
    const known = await store.anchor(hash);
    if (known === undefined) {
      if (!(await chain.hasAnchored(blockNumber, { hash, size })))
        throw unavailable(new ContradictionError(`the node returns an event that block ${blockNumber} does not have`));
      const what = size === 0 ? "a hash" : `a root over ${size} hashes`;
      await divergences.diverged(
        subject,
        `the chain has ${what} in block ${blockNumber}, ${transaction}, that the journal does not know`,
      );
      return;
    }
    const restored = await restoreConfirmation(this.#deps, hash);
    if (restored === undefined) return;
    const { anchor, block } = restored;
    divergences.corrected(`the journal had lost that anchor ${anchor.id} is in block ${block.number}, ${transaction}`);
  }

  async #isOnChain(block: ReconciliationProgress["block"]): Promise<boolean> {
    if (block === undefined) return false;
    const hash = await this.#deps.chain.blockHash(block.number);
    return hash !== undefined && Buffer.compare(hash, block.hash) === 0;
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
