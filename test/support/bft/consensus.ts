import { setTimeout as sleep } from "node:timers/promises";
import type { SigningKey } from "ethers";

/** A validator as seen by its peers. */
export interface Validator {
  readonly key: SigningKey;
  /** Lower-case. */
  readonly address: string;
  isUp: boolean;
  /** Whether it proposes in its turn; it sends commit seals in any case. */
  proposes: boolean;
  /** Validators of the same part are connected. */
  part: string;
}

/** A block that the validators agreed on. */
export interface Agreement {
  readonly number: number;
  readonly round: number;
  readonly proposer: Validator;
  /** Exactly a quorum, including the proposer. */
  readonly signers: readonly Validator[];
}

export interface ConsensusOptions {
  /** In the order of their addresses. */
  readonly validators: readonly Validator[];
  /** Milliseconds. */
  readonly blockPeriod: number;
  /** Milliseconds of round 0; it doubles with each round. */
  readonly requestTimeout: number;
  /** Milliseconds before the end of the block period at which a block is filled. */
  readonly fillsBefore: number;
  /** Fills the next block: later transactions miss it. */
  readonly fill: () => Promise<void>;
  /** Publishes the block of an agreement. */
  readonly commit: (agreement: Agreement) => Promise<void>;
}

/**
 * Validators that agree on blocks by the rules of IBFT 2.0 and QBFT. The validator after the proposer of the previous
 * block proposes. When its block does not arrive within the timeout, the round changes: the next validator proposes,
 * with twice the timeout. Without a connected quorum there is no block, and the rounds continue.
 */
export class Consensus {
  readonly #options: ConsensusOptions;
  #restarts = new AbortController();
  #stopped = false;
  #work: Promise<void> | undefined;
  #last: number;
  round = 0;

  constructor(options: ConsensusOptions) {
    this.#options = options;
    this.#last = options.validators.length - 1;
  }

  /** @param number Number of the first block */
  start(number: number): void {
    this.#work = this.#run(number);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#restarts.abort();
    await this.#work;
  }

  /** Restarts all validators, as operators do after a stall: the rounds restart at 0. */
  restart(): void {
    this.#restarts.abort();
  }

  /** Returns the running validators that are connected to a validator, including itself. */
  around(validator: Validator): readonly Validator[] {
    return validator.isUp ? this.#options.validators.filter(({ isUp, part }) => isUp && part === validator.part) : [];
  }

  get quorum(): number {
    return Math.ceil((this.#options.validators.length * 2) / 3);
  }

  async #run(first: number): Promise<void> {
    const { blockPeriod, requestTimeout, fillsBefore, fill, commit } = this.#options;
    for (let number = first; !this.#stopped; number += 1) {
      await this.#wait(blockPeriod - fillsBefore);
      if (fillsBefore > 0) {
        await fill();
        await this.#wait(fillsBefore);
      }
      for (this.round = 0; !this.#stopped; this.round += 1) {
        const agreement = this.#agree(number);
        if (agreement !== undefined) {
          await commit(agreement);
          this.#last = this.#options.validators.indexOf(agreement.proposer);
          break;
        }
        if (await this.#wait(requestTimeout * 2 ** this.round)) this.round = -1;
      }
    }
  }

  #agree(number: number): Agreement | undefined {
    const { validators } = this.#options;
    const proposer = validators[(this.#last + 1 + this.round) % validators.length];
    if (proposer === undefined || !proposer.proposes) return undefined;
    const group = this.around(proposer);
    if (group.length < this.quorum) return undefined;
    // The seals of other validators arrive too late for the header: different ones in each block.
    const others = group.filter((validator) => validator !== proposer);
    const rotated = others.map((_, index) => others[(index + number) % others.length] ?? proposer);
    return { number, round: this.round, proposer, signers: [proposer, ...rotated.slice(0, this.quorum - 1)] };
  }

  /** @returns whether all validators were restarted in the meantime */
  async #wait(milliseconds: number): Promise<boolean> {
    const { signal } = this.#restarts;
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted || this.#stopped) return false;
    this.#restarts = new AbortController();
    return true;
  }
}
