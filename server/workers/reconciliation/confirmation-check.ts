import { nextDigest } from "../../domain/journal/entry.ts";
import type { JournalSource } from "../../domain/journal/ports.ts";
import type { Confirmation, ReconciliationStore } from "../../domain/journal/reconciliation.ts";
import type { AnchorChain } from "../../domain/ports.ts";
import type { Findings } from "./findings.ts";

/** Questions to the node at once. */
const AT_ONCE = 8;
const PAGE = 512;
/** Confirmations that are looked at in every pass: when a chain changes, the newest are what changes first. */
const NEWEST = 16;

export interface ConfirmationCheckParts {
  readonly store: ReconciliationStore;
  readonly entries: JournalSource;
  readonly chain: Pick<AnchorChain, "blockOf">;
  readonly findings: Findings;
}

/** Compares what the journal says was confirmed with what the chain has. */
export class ConfirmationCheck {
  readonly #parts: ConfirmationCheckParts;

  constructor(parts: ConfirmationCheckParts) {
    this.#parts = parts;
  }

  /**
   * @param isStopped asked now and then whether to end early
   * @returns the newest confirmation compared
   */
  async run(after: number, isStopped: () => boolean): Promise<number> {
    const { store } = this.#parts;
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

  /** @returns whether all of the newest are as the chain has them */
  async newestHold(): Promise<boolean> {
    return this.#compareAll(await this.#parts.store.newestConfirmations(NEWEST));
  }

  async #compareAll(confirmations: readonly Confirmation[]): Promise<boolean> {
    let allHold = true;
    for (let first = 0; first < confirmations.length; first += AT_ONCE) {
      const held = await Promise.all(confirmations.slice(first, first + AT_ONCE).map((each) => this.#compare(each)));
      allHold &&= held.every(Boolean);
    }
    return allHold;
  }

  async #compare(confirmation: Confirmation): Promise<boolean> {
    const { chain, findings, store } = this.#parts;
    const { sequence, hash, transactionHash, block } = confirmation;
    const subject = { kind: "confirmation", sequence } as const;
    const mined = await chain.blockOf(transactionHash, hash);
    if (mined?.number === block.number && mined.time === block.time && Buffer.compare(mined.hash, block.hash) === 0) {
      await findings.agreed(subject);
      return true;
    }
    const what = `entry ${sequence}: transaction 0x${hex(transactionHash)}`;
    if (!(await this.#isGenuine(sequence))) {
      await findings.diverged(subject, `${what} is not as the journal first had it: the journal was changed`);
    } else if (mined === undefined) {
      await findings.diverged(subject, `${what} is not on the chain any more, though it was in block ${block.number}`);
    } else {
      await store.confirmAgain(confirmation, mined);
      findings.repaired(`${what} is in block ${mined.number} now, 0x${hex(mined.hash)}; it was in block ${block.number}, 0x${hex(block.hash)}`);
      await findings.agreed(subject);
    }
    return false;
  }

  /** Whether an entry is what the chain of digests was made over. */
  async #isGenuine(sequence: number): Promise<boolean> {
    const { entries } = this.#parts;
    try {
      const { lines, previousDigest } = await entries.lines(sequence - 1, 1);
      const digest = await entries.digestAt(sequence);
      const [line] = lines;
      return line !== undefined && digest !== undefined && Buffer.compare(nextDigest(previousDigest, line.text), digest) === 0;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
