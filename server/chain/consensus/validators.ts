import { hexlify } from "ethers";
import * as z from "zod";
import type { HashedHeader } from "../evidence/block-header.ts";
import { type BftProtocol, consensusOf, mostFaulty } from "../evidence/consensus-seals.ts";
import { ifNodeError, type Rpc } from "../rpc/rpc.ts";
import type { Address } from "../transaction.ts";
import { hex } from "../../kit/bytes.ts";

const Addresses = z.array(z.string());

/** Names of the protocols and prefixes of the node's methods for them. */
const PROTOCOLS = [
  { protocol: "ibft2", name: "IBFT 2.0", prefix: "ibft" },
  { protocol: "qbft", name: "QBFT", prefix: "qbft" },
] as const satisfies readonly { protocol: BftProtocol; name: string; prefix: string }[];

/** Fetches the protocol and the validators: from the node, or from the newest header for a node without the method. */
export async function fetchValidators(
  rpc: Pick<Rpc, "call">,
  header: z.output<typeof HashedHeader>,
): Promise<{ readonly protocol: string; readonly validators: readonly string[] }> {
  const sealed = consensusOf(header, header.hash);
  const found = PROTOCOLS.find(({ protocol }) => protocol === sealed?.protocol);
  if (sealed === undefined || found === undefined) return { protocol: "none", validators: [] };
  const { name, prefix } = found;
  const response = await rpc.call(`${prefix}_getValidatorsByBlockNumber`, ["latest"]).catch(ifNodeError(undefined));
  const validators = Addresses.safeParse(response);
  return {
    protocol: name,
    validators: validators.success ? validators.data : sealed.validators.map((each) => hexlify(each)),
  };
}

/** The validators of a BFT chain from a block on. */
export interface ValidatorSet {
  readonly fromBlock: number;
  /** Lower-case, sorted. */
  readonly validators: readonly Address[];
}

/** The validator sets on disk. */
export interface ValidatorSetStore {
  read(): Promise<readonly ValidatorSet[]>;
  /** Stores a set unless there is one from the same block. */
  add(set: ValidatorSet): Promise<void>;
}

/** Hashes of blocks whose seals were checked; checks are costly, and the same blocks are read again. */
const MAX_CHECKED = 4_096;

/**
 * The validators that the server knows. A header lists its own validators, so that its seals alone prove nothing: a
 * forged header lists the forger's. A changed set is accepted when more of the known validators sealed the block than
 * may be faulty, as light clients do.
 */
export class ValidatorHistory {
  readonly #store: ValidatorSetStore | undefined;
  readonly #checked = new Set<string>();
  #sets: ValidatorSet[];

  private constructor(sets: readonly ValidatorSet[], store: ValidatorSetStore | undefined) {
    this.#sets = [...sets].sort((a, b) => a.fromBlock - b.fromBlock);
    this.#store = store;
  }

  static async open(store: ValidatorSetStore): Promise<ValidatorHistory> {
    return new ValidatorHistory(await store.read(), store);
  }

  /** Returns a history that is kept in memory; the first block read sets its validators. */
  static inMemory(): ValidatorHistory {
    return new ValidatorHistory([], undefined);
  }

  /** Whether no validators are known: the chain has no seals, or no block was read. */
  get isEmpty(): boolean {
    return this.#sets.length === 0;
  }

  /** Whether the seals of a block were accepted before. */
  hasChecked(hash: Uint8Array): boolean {
    return this.#checked.has(hex(hash));
  }

  /**
   * Returns whether the validators of a block are known, or follow known ones. The first set is accepted as it is.
   * @param signers The validators that sealed the block: a quorum of `validators`
   */
  async accepts(
    number: number,
    hash: Uint8Array,
    validators: readonly Address[],
    signers: () => readonly Address[],
  ): Promise<boolean> {
    const set = { fromBlock: number, validators: validators.map((each) => each.toLowerCase()).sort() };
    if (!this.#isKnown(number, set)) await this.#readStored();
    if (!this.#isKnown(number, set)) {
      if (!this.isEmpty && !this.sealed(number, signers())) return false;
      await this.#store?.add(set);
      this.#sets = [...this.#sets, set].sort((a, b) => a.fromBlock - b.fromBlock);
    }
    this.#remember(hash);
    return true;
  }

  #isKnown(number: number, set: ValidatorSet): boolean {
    const before = this.#sets.findLast(({ fromBlock }) => fromBlock <= number);
    return before !== undefined && isSame(before, set);
  }

  /** Adds the sets that another relayer has stored since. */
  async #readStored(): Promise<void> {
    const known = new Set(this.#sets.map(({ fromBlock }) => fromBlock));
    const stored = ((await this.#store?.read()) ?? []).filter(({ fromBlock }) => !known.has(fromBlock));
    this.#sets = [...this.#sets, ...stored].sort((a, b) => a.fromBlock - b.fromBlock);
  }

  /** Returns whether enough validators of a set next to a block sealed it. */
  sealed(number: number, signers: readonly Address[]): boolean {
    const before = this.#sets.findLast(({ fromBlock }) => fromBlock <= number);
    const after = this.#sets.find(({ fromBlock }) => fromBlock > number);
    const sealed = new Set(signers.map((each) => each.toLowerCase()));
    return [before, after].some((known) => known !== undefined && follows(known, sealed));
  }

  #remember(hash: Uint8Array): void {
    const [oldest] = this.#checked;
    if (this.#checked.size >= MAX_CHECKED && oldest !== undefined) this.#checked.delete(oldest);
    this.#checked.add(hex(hash));
  }
}

function isSame(a: ValidatorSet, b: ValidatorSet): boolean {
  return a.validators.join() === b.validators.join();
}

/** Returns whether enough of a known set sealed a block that one of them at least is honest. */
function follows({ validators }: ValidatorSet, sealed: ReadonlySet<Address>): boolean {
  return validators.filter((each) => sealed.has(each)).length > mostFaulty(validators.length);
}
