import { hexlify } from "ethers";
import type { z } from "zod";
import type { BftBlock } from "./bft-block.ts";
import { type BftProtocol, decodeExtraData } from "../evidence/bft-extra-data.ts";
import { type BlockHeader, HashedHeader } from "../evidence/block-header.ts";
import { commitSignersOf } from "../evidence/commit-seals.ts";
import { consensusOf } from "../evidence/consensus.ts";
import { fetchBlock } from "../node/block.ts";
import { type Rpc, unavailable } from "../rpc/rpc.ts";

/** Blocks that are looked back at: several turns of each validator, in a network of the usual size. */
const LEAST_BLOCKS = 32;
/** Turns of each validator that are looked back at in a larger network. */
const TURNS = 2;

/** The newest blocks of a BFT network. */
export interface BftBlocks {
  readonly protocol: BftProtocol;
  /** One after the other, oldest first; never none. */
  readonly blocks: readonly BftBlock[];
  /** When the newest was first seen, Unix milliseconds; `undefined` when it was there from the beginning. */
  readonly seenAt: number | undefined;
  /** Rounds that were needed beyond the first of each block, since the beginning. */
  readonly roundChanges: number;
}

/**
 * Follows how the validators of a BFT network agree on its blocks, by the headers alone: any node has them, and the
 * block's hash shows that they are told as they are.
 */
export class BftHistory {
  readonly #rpc: Pick<Rpc, "call">;
  #known: BftBlocks | undefined;
  #work: Promise<unknown> = Promise.resolve();

  constructor(rpc: Pick<Rpc, "call">) {
    this.#rpc = rpc;
  }

  /**
   * The blocks up to a number; only those not seen before are asked for.
   * @returns `undefined` on a chain whose blocks no validators seal
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
    // Another node may lag; what was seen holds, for blocks of these networks are final.
    if (before !== undefined && head <= newest.number) return before;
    const most = Math.max(LEAST_BLOCKS, TURNS * newest.validators.length);
    const isNext = before !== undefined && newest.number > head - most;
    // Nobody agreed on the first block, which has no seals.
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

  /** @returns those that the node has, up to the first that it lacks; `undefined` for none, or when no validators sealed them */
  async #read(first: number, last: number): Promise<Pick<BftBlocks, "protocol" | "blocks"> | undefined> {
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const headers = await Promise.all(numbers.map((number) => fetchBlock(this.#rpc, number, HashedHeader)));
    const blocks: BftBlock[] = [];
    let protocol: BftProtocol | undefined;
    for (const header of headers) {
      // Behind a balancer another node may be asked, which does not have it yet.
      if (header === undefined) break;
      const block = bftBlock(header);
      if (block === undefined) return undefined;
      protocol = block.protocol;
      blocks.push(block);
      // Recovering seals takes its time, and others wait for the processor too.
      await new Promise(setImmediate);
    }
    return protocol === undefined ? undefined : { protocol, blocks };
  }
}

/** @returns `undefined` for a block that no validators sealed */
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
    signers: sealersIn(protocol, header),
  };
}

function sealersIn(protocol: BftProtocol, header: BlockHeader): string[] {
  try {
    return commitSignersOf(protocol, header).map((sealer) => sealer.toLowerCase());
  } catch (cause) {
    throw unavailable(new Error(`the node tells block ${header.number} with seals that are none`, { cause }));
  }
}
