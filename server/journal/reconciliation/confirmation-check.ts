import type { BlockReference } from "../../chain/block.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { AnchorStanding, Confirmation, ReconciliationStore } from "./divergence.ts";
import { isSameBlock } from "../integrity/stored-anchor.ts";
import type { Clock } from "../../kit/time.ts";
import type { DivergenceTracker } from "./divergence-tracker.ts";
import { prefixedHex } from "../../kit/bytes.ts";

export interface LostConfirmationDeps {
  readonly store: Pick<ReconciliationStore, "anchor" | "reconfirm">;
  readonly chain: Pick<ProofAnchorClient, "blockOf" | "address">;
}

/**
 * Records the confirmation of an anchor again that the journal has lost, though the anchor's transaction is mined. The
 * sender records it for every other transaction.
 * @returns the anchor and its block; `undefined` when nothing was lost, or the chain does not confirm the anchor
 */
export async function restoreConfirmation(
  { store, chain }: LostConfirmationDeps,
  hash: Uint8Array,
): Promise<{ readonly anchor: AnchorStanding; readonly block: BlockReference } | undefined> {
  const anchor = await store.anchor(hash);
  if (anchor?.transactionHash === undefined || !anchor.isMined || anchor.isConfirmed) return undefined;
  const block = await chain.blockOf(anchor.transactionHash, hash);
  if (block === undefined) return undefined;
  const anchored = { hash, size: anchor.size, contract: chain.address };
  await store.reconfirm(anchor.transactionId, { hash: anchor.transactionHash, block, anchored });
  return { anchor, block };
}

/** Maximum number of concurrent requests to the node. */
const AT_ONCE = 8;
const PAGE = 512;
/** Number of confirmations compared in every pass: a chain reorganization changes the newest first. */
const NEWEST = 16;
/** Time for which a node may lack a block before that is a divergence: it may lag, or its chain may be recovering. */
const LAG_MILLISECONDS = 30_000;

interface ConfirmationCheckDeps {
  readonly store: Pick<ReconciliationStore, "confirmations" | "newestConfirmations" | "reconfirm" | "isGenuine">;
  readonly chain: Pick<ProofAnchorClient, "address" | "blockOf" | "blockHash">;
  readonly divergences: DivergenceTracker;
  readonly clock: Clock;
}

/** Compares the confirmations of the journal with the chain. */
export class ConfirmationCheck {
  readonly #deps: ConfirmationCheckDeps;
  /** Time since which the node lacks the block of a confirmation. */
  readonly #lacking = new Map<number, number>();

  constructor(deps: ConfirmationCheckDeps) {
    this.#deps = deps;
  }

  /**
   * @param isStopped Returns whether to end early
   * @returns the newest confirmation compared
   */
  async run(after: number, isStopped: () => boolean): Promise<number> {
    const { store } = this.#deps;
    let reached = after;
    while (!isStopped()) {
      const page = await store.confirmations(reached, PAGE);
      const last = page.at(-1);
      if (last === undefined) break;
      await this.#compareAll(page);
      reached = last.sequence;
    }
    return reached;
  }

  /** @returns whether one of the newest confirmations changed */
  async newestChanged(): Promise<boolean> {
    return this.#compareAll(await this.#deps.store.newestConfirmations(NEWEST));
  }

  async #compareAll(confirmations: readonly Confirmation[]): Promise<boolean> {
    let isNews = false;
    for (let first = 0; first < confirmations.length; first += AT_ONCE) {
      const news = await Promise.all(confirmations.slice(first, first + AT_ONCE).map((each) => this.#compare(each)));
      isNews ||= news.some(Boolean);
    }
    return isNews;
  }

  /** @returns whether it changed */
  async #compare(confirmation: Confirmation): Promise<boolean> {
    const { chain, divergences, store } = this.#deps;
    const { sequence, anchor, hash, transactionHash, block } = confirmation;
    if (!confirmation.isOwn) {
      return divergences.diverged(
        { kind: "anchor", hash: anchor.hash },
        `anchor ${anchor.id} is given the confirmation of another one, entry ${sequence}`,
      );
    }
    const subject = { kind: "confirmation", sequence } as const;
    const mined = await chain.blockOf(transactionHash, hash, block.number);
    if (mined !== undefined) this.#lacking.delete(sequence);
    if (mined !== undefined && isSameBlock(mined, block)) {
      await divergences.resolved(subject);
      return false;
    }
    const what = `entry ${sequence}: transaction ${prefixedHex(transactionHash)}`;
    if (!(await store.isGenuine(sequence))) {
      return divergences.diverged(subject, `${what} is not as the journal first had it: the journal was changed`);
    }
    if (mined !== undefined) {
      const anchored = { hash, size: confirmation.size, contract: chain.address };
      await store.reconfirm(confirmation.transactionId, { hash: transactionHash, block: mined, anchored });
      divergences.corrected(
        `${what} is in block ${mined.number} now, ${prefixedHex(mined.hash)}; ` +
          `it was in block ${block.number}, ${prefixedHex(block.hash)}`,
      );
      await divergences.resolved(subject);
      return true;
    }
    if (await this.#mayLag(confirmation)) return false;
    return divergences.diverged(
      subject,
      `${what} is not on the chain any more, though it was in block ${block.number}`,
    );
  }

  /** Returns whether the node may lag, for instance one of several behind a load balancer. */
  async #mayLag({ sequence, block }: Confirmation): Promise<boolean> {
    const { chain, clock } = this.#deps;
    if ((await chain.blockHash(block.number)) !== undefined) return false;
    const since = this.#lacking.get(sequence) ?? clock();
    this.#lacking.set(sequence, since);
    return clock() - since < LAG_MILLISECONDS;
  }
}
