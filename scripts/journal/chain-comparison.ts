import type { AnchoringBlock, AnchorOnChain } from "../../server/chain/contracts/anchors.ts";
import type { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import type { ConfirmationEntry } from "../../server/journal/entries/codec.ts";
import { chainFault } from "../../server/journal/integrity/stored-anchor.ts";
import { isCurrent, readAnchors } from "./anchor-facts.ts";
import type { Finding } from "./finding.ts";
import { isLagging } from "../../server/chain/rpc/rpc.ts";

/** Blocks that are queried concurrently. */
const BLOCKS_AT_ONCE = 16;

/** Chain queries of a check. */
export type AnchorQueries = Pick<ProofAnchorClient, "anchorOf" | "anchoringBlock">;

/** Compares current confirmations with the chain. */
export class ChainComparison {
  readonly #database: Database;
  readonly #chain: AnchorQueries;
  readonly #report: (finding: Finding) => void;

  constructor(database: Database, chain: AnchorQueries, report: (finding: Finding) => void) {
    this.#database = database;
    this.#chain = chain;
    this.#report = report;
  }

  async compare(confirmations: readonly ConfirmationEntry[]): Promise<void> {
    const blocks = [...Map.groupBy(confirmations, ({ block_number: number }) => number)].values();
    const worker = async (): Promise<void> => {
      // All workers draw from the one iterator.
      for (const [number, inBlock] of blocks) {
        const mined = await this.#chain.anchoringBlock(number);
        await Promise.all(inBlock.map((confirmation) => this.#compareOne(confirmation, mined)));
      }
    };
    await Promise.all(Array.from({ length: BLOCKS_AT_ONCE }, worker));
  }

  async #compareOne(confirmation: ConfirmationEntry, mined: AnchoringBlock | undefined): Promise<void> {
    const chain = this.#chain;
    const { hash, contract } = confirmation;
    if (onChainFinding(confirmation, await chain.anchorOf(hash, contract), mined) === undefined) return;
    // A chain reorganization between the requests can replace the newest blocks, and the journal may have recorded
    // that. A node that still lacks the block, after the retries, serves a chain that was rolled back.
    const finding = await this.#findingNow(confirmation);
    const anchor = (await readAnchors(this.#database, [confirmation.anchor])).get(confirmation.anchor);
    if (finding !== undefined && anchor !== undefined && isCurrent(confirmation, anchor)) this.#report(finding);
  }

  async #findingNow(confirmation: ConfirmationEntry): Promise<Finding | undefined> {
    const { sequence, anchor, hash, contract, block_number: block } = confirmation;
    try {
      const onChain = await this.#chain.anchorOf(hash, contract, block);
      return onChainFinding(confirmation, onChain, await this.#chain.anchoringBlock(block));
    } catch (error) {
      if (!isLagging(error)) throw error;
      return { kind: "chain_differs", sequence, anchor, block, fault: "no_block" };
    }
  }
}

/** Compares the contents of a confirmation with the chain. */
function onChainFinding(
  confirmation: ConfirmationEntry,
  onChain: AnchorOnChain | undefined,
  mined: AnchoringBlock | undefined,
): Finding | undefined {
  const { sequence, anchor, tx_hash: transactionHash, block_number: number, ...rest } = confirmation;
  const inclusion = { transactionHash, block: { number, hash: rest.block_hash, time: rest.block_time } };
  const fault = chainFault(confirmation, inclusion, onChain, mined);
  return fault && { kind: "chain_differs", sequence, anchor, block: number, fault };
}
