import type { AnchorLog, ReconciliationProgress, ReconciliationStore } from "../../domain/journal/reconciliation.ts";
import type { Findings } from "./findings.ts";

/** Small enough for any node's limit on log queries. */
const BLOCKS_AT_ONCE = 1_000;

export interface AnchorCheckParts {
  readonly store: ReconciliationStore;
  readonly log: AnchorLog;
  readonly findings: Findings;
}

/** Looks on the chain for anchors that the journal does not have: whatever is sent is in the journal before. */
export class AnchorCheck {
  readonly #parts: AnchorCheckParts;

  constructor(parts: AnchorCheckParts) {
    this.#parts = parts;
  }

  /**
   * @param after The newest block compared before; from the contract's first block on when it is not on the chain any more
   * @returns the newest block compared
   */
  async run(after: ReconciliationProgress["block"], isStopped: () => boolean): Promise<ReconciliationProgress["block"]> {
    const { log } = this.#parts;
    let reached = (await this.#isOnChain(after)) ? after : undefined;
    const newest = await log.newestBlock();
    for (let from = reached === undefined ? log.firstBlock : reached.number + 1; from <= newest && !isStopped(); from = (reached?.number ?? newest) + 1) {
      const to = Math.min(newest, from + BLOCKS_AT_ONCE - 1);
      const hash = await log.blockHash(to);
      if (hash === undefined) break;
      await this.#compare(from, to);
      reached = { number: to, hash };
    }
    return reached;
  }

  async #compare(from: number, to: number): Promise<void> {
    const { store, log, findings } = this.#parts;
    for (const { hash, size, transactionHash, blockNumber } of await log.anchors(from, to)) {
      const subject = { kind: "anchor", hash } as const;
      if (await store.isKnown(hash)) continue;
      const what = size === 0 ? "a hash" : `a root over ${size} hashes`;
      await findings.diverged(
        subject,
        `the chain has ${what} in block ${blockNumber}, transaction 0x${Buffer.from(transactionHash).toString("hex")}, that the journal does not know`,
      );
    }
  }

  async #isOnChain(block: ReconciliationProgress["block"]): Promise<boolean> {
    if (block === undefined) return false;
    const hash = await this.#parts.log.blockHash(block.number);
    return hash !== undefined && Buffer.compare(hash, block.hash) === 0;
  }
}
