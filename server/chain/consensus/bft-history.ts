import { hexlify } from "ethers";
import type { z } from "zod";
import type { BftBlock } from "./bft-report.ts";
import { type BftProtocol, decodeExtraData, commitSignersOf, consensusOf } from "../evidence/consensus-seals.ts";
import { type BlockHeader, HashedHeader } from "../evidence/block-header.ts";
import { fetchBlock } from "../node/node-block.ts";
import { type Rpc, unavailable } from "../rpc/rpc.ts";

/** Blocks in the history: several rounds of all validators in a network of the usual size. */
const LEAST_BLOCKS = 32;
/** Proposals of each validator in the history of a larger network. */
const PROPOSALS_EACH = 2;

/** The newest blocks of a BFT network. */
export interface BftBlocks {
  readonly protocol: BftProtocol;
  /** Consecutive, oldest first; at least one. */
  readonly blocks: readonly BftBlock[];
  /** When the newest was first seen, Unix milliseconds; `undefined` for a block from before the start. */
  readonly seenAt: number | undefined;
  /** Round changes since the start. */
  readonly roundChanges: number;
}

/**
 * Follows the consensus of a BFT network by the block headers alone: every node has them, and the block's hash covers
 * them.
 */
export class BftHistory {
  readonly #rpc: Pick<Rpc, "call">;
  #known: BftBlocks | undefined;
  #work: Promise<unknown> = Promise.resolve();

  constructor(rpc: Pick<Rpc, "call">) {
    this.#rpc = rpc;
  }

  /**
   * Returns the blocks up to a number; fetches only new ones.
   * @returns `undefined` on a chain without commit seals
   * @throws SealbookError `chain_unavailable`
   */
  upTo(head: number): Promise<BftBlocks | undefined> {
    const result = this.#work.then(() => this.#upTo(head));
    this.#work = result.catch(() => undefined);
    return result;
  }

  async #upTo(head: number): Promise<BftBlocks | undefined> {
    const before = this.#known;
    const { blocks = [] } = before ?? (await this.#read(head, head)) ?? {};
    const newest = blocks.at(-1);
    if (newest === undefined) return undefined;
    // Another node may lag; the known blocks stay valid, because blocks of these networks are final.
    if (before !== undefined && head <= newest.number) return before;
    const most = Math.max(LEAST_BLOCKS, PROPOSALS_EACH * newest.validators.length);
    const isNext = before !== undefined && newest.number > head - most;
    // The genesis block has no commit seals.
    const first = isNext ? newest.number + 1 : Math.max(1, head - most + 1);
    const read = await this.#read(first, head);
    if (read === undefined) return before;
    this.#known = {
      protocol: read.protocol,
      blocks: [...(isNext ? blocks : []), ...read.blocks].slice(-most),
      seenAt: before === undefined ? undefined : Date.now(),
      roundChanges:
        before === undefined ? 0 : before.roundChanges + read.blocks.reduce((sum, { round }) => sum + round, 0),
    };
    return this.#known;
  }

  /** @returns the blocks up to the first one that the node lacks; `undefined` for none, or without commit seals */
  async #read(first: number, last: number): Promise<Pick<BftBlocks, "protocol" | "blocks"> | undefined> {
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const headers = await Promise.all(numbers.map((number) => fetchBlock(this.#rpc, number, HashedHeader)));
    const blocks: BftBlock[] = [];
    let protocol: BftProtocol | undefined;
    for (const header of headers) {
      // Behind a load balancer another node may respond, which does not have the block yet.
      if (header === undefined) break;
      const block = bftBlock(header);
      if (block === undefined) return undefined;
      protocol = block.protocol;
      blocks.push(block);
      // Recovering signers takes long: other work gets the thread in between.
      await new Promise(setImmediate);
    }
    return protocol === undefined ? undefined : { protocol, blocks };
  }
}

/** @returns `undefined` for a block without commit seals */
function bftBlock(header: z.output<typeof HashedHeader>): (BftBlock & { readonly protocol: BftProtocol }) | undefined {
  const consensus = consensusOf(header, header.hash);
  if (consensus === undefined || consensus.protocol === "none") return undefined;
  const { protocol, validators } = consensus;
  return {
    protocol,
    number: Number(header.number),
    time: Number(header.timestamp),
    round: decodeExtraData(protocol, header.extraData).round,
    proposer: hexlify(header.miner),
    validators: validators.map((validator) => hexlify(validator)).sort(),
    signers: signersIn(protocol, header),
  };
}

function signersIn(protocol: BftProtocol, header: BlockHeader): string[] {
  try {
    return commitSignersOf(protocol, header).map((signer) => signer.toLowerCase());
  } catch (cause) {
    throw unavailable(new Error(`the node returns block ${header.number} with malformed commit seals`, { cause }));
  }
}
