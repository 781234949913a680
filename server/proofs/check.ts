import type { AnchorContent, BlockInclusion } from "../chain/contracts/anchors.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import { SealbookError } from "../errors.ts";
import type { JournalEvents } from "../journal/events.ts";
import { type AnchorQueries, contentOver, contradictionOf } from "../journal/integrity/stored-anchor.ts";
import { hex } from "../kit/bytes.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { MAX_TREE_SIZE } from "../kit/tree-size.ts";
import type { AnchorState } from "./anchor-states.ts";
import type { AnchorStore } from "./anchor-store.ts";
import { type AnchoredLeaves, Leaves } from "./anchored-leaves.ts";
import type { ConfirmedProof, StoredProof } from "./proof.ts";

const CHANGED = "the journal's records under its anchor do not give what was anchored: the journal was changed";
const NOT_UNDER = "the journal's record is not under its anchor: the journal was changed";
/** Anchors that a check remembers: with a thousand leaves each they take 32 MiB. */
const MOST_ANCHORS = 4_096;

/**
 * What is right of a proof. Each entry has one of these results: none looks as if there was no record.
 * - `confirmed`: its event is in a verified block
 * - `pending`: neither the journal nor the chain has its anchor
 * - `contradicted`: journal and chain contradict each other, or the journal itself; nothing is signed about it.
 *   `isDamaged`: the journal was changed, whatever the chain has
 */
export type CheckedProof =
  | { readonly state: "confirmed"; readonly proof: ConfirmedProof }
  | { readonly state: "pending"; readonly proof: StoredProof }
  | {
      readonly state: "contradicted";
      readonly proof: StoredProof;
      readonly fault: string;
      readonly isDamaged: boolean;
    };

export interface ProofCheckDeps {
  readonly anchors: Pick<AnchorStore, "leaves">;
  readonly leaves: AnchoredLeaves;
  readonly chain: AnchorQueries & Pick<ProofAnchorClient, "find">;
  readonly telemetry: Pick<JournalEvents, "journalDiverged">;
}

/**
 * Refuses a proof of which the journal was changed.
 * @throws SealbookError `journal_damaged`
 */
export function assertUndamaged(result: CheckedProof): void {
  if (result.state === "contradicted" && result.isDamaged) throw new SealbookError("journal_damaged", result.fault);
}

/** The anchor of a proof. */
interface Anchor extends AnchorState {
  readonly anchorId: number;
}

/** The result for an anchor. */
interface AnchorVerdict {
  readonly fault: string | undefined;
  /** Where the chain has it; `undefined` when it does not. */
  readonly inclusion: BlockInclusion | undefined;
  readonly content: AnchorContent | undefined;
  /** `undefined` when they do not give what is anchored. */
  readonly leaves: Leaves | undefined;
}

/**
 * The one check of a proof, whose entry was read by its code: its recorded hash is a leaf under its anchor, the leaves
 * give the anchored hash, and the event of the anchor is in a verified block. A check serves one request, and looks at
 * each anchor once.
 */
export class ProofCheck {
  readonly #deps: ProofCheckDeps;
  /** By anchor, the oldest first. */
  readonly #anchors = new Map<number, Promise<AnchorVerdict>>();
  /** Whether the chain did not respond to this check: it is not asked again about what may be pending. */
  #isChainAway = false;

  constructor(deps: ProofCheckDeps) {
    this.#deps = deps;
  }

  /**
   * Checks a proof against the chain.
   * @throws SealbookError `chain_unavailable` when the chain does not respond
   */
  async of(proof: StoredProof): Promise<CheckedProof> {
    if (proof.fault !== undefined) return { state: "contradicted", proof, fault: proof.fault, isDamaged: true };
    const { fault, inclusion, content, leaves } = await this.#verdict(proof);
    if (fault !== undefined) return { state: "contradicted", proof, fault, isDamaged: leaves === undefined };
    if (leaves?.has(proof.leafIndex, proof.recordHash) !== true) return this.#contradicted(proof);
    if (inclusion === undefined) return { state: "pending", proof };
    return { state: "confirmed", proof: { ...proof, content, outcome: { state: "confirmed", ...inclusion } } };
  }

  /**
   * Takes the confirmation of the journal's entry, which was checked as it was written. The chain is asked about a
   * proof that the journal has no confirmation of.
   * @throws SealbookError `chain_unavailable`, as {@link of}
   */
  async counted(proof: StoredProof): Promise<CheckedProof> {
    const { outcome, fault } = proof;
    if (fault !== undefined || outcome.state !== "confirmed") return this.of(proof);
    return { state: "confirmed", proof: { ...proof, outcome } };
  }

  /** As {@link counted}, for a response that nothing signs: without the chain, a proof is pending. */
  async recorded(proof: StoredProof): Promise<CheckedProof> {
    const isAsked = proof.fault === undefined && proof.outcome.state !== "confirmed";
    if (isAsked && this.#isChainAway) return { state: "pending", proof };
    return this.counted(proof).catch((error: unknown) => {
      if (!(error instanceof SealbookError && error.code === "chain_unavailable")) throw error;
      this.#isChainAway = true;
      return { state: "pending", proof };
    });
  }

  /** Returns what is wrong with an anchor, if anything. Throws as {@link of} does. */
  async faultOf(anchor: Anchor): Promise<string | undefined> {
    return anchor.fault ?? (await this.#verdict(anchor)).fault;
  }

  #verdict(anchor: Anchor): Promise<AnchorVerdict> {
    const known = this.#anchors.get(anchor.anchorId);
    if (known !== undefined) return known;
    const verdict = this.#judge(anchor);
    for (const oldest of this.#anchors.keys()) {
      if (this.#anchors.size < MOST_ANCHORS) break;
      this.#anchors.delete(oldest);
    }
    this.#anchors.set(anchor.anchorId, verdict);
    // A failure lasts as long as the check: whoever waits for it gets it.
    verdict.catch(() => undefined);
    return verdict;
  }

  async #judge({ anchorId, content, outcome }: Anchor): Promise<AnchorVerdict> {
    const { anchors, leaves: anchored, chain } = this.#deps;
    if (content === undefined) {
      const hashes = await anchors.leaves(anchorId);
      // Hashing takes milliseconds: other requests are served between two anchors.
      await yieldToEventLoop();
      const found = await this.#find(contentsOf(hashes));
      return { fault: undefined, inclusion: undefined, content, leaves: new Leaves(hashes), ...found };
    }
    const leaves = await anchored.of(anchorId, content);
    const verdict = { fault: undefined, inclusion: undefined, content, leaves };
    if (leaves === undefined) return { ...verdict, fault: this.#diverged("root", content.hash, CHANGED) };
    if (outcome.state !== "confirmed") return { ...verdict, ...(await this.#find([content])) };
    const contradiction = await contradictionOf(chain, content, outcome);
    const fault = contradiction && this.#diverged("root", content.hash, contradiction);
    return { ...verdict, fault, inclusion: outcome };
  }

  /** Finds what the journal has no confirmation of. */
  async #find(contents: readonly AnchorContent[]): Promise<Partial<AnchorVerdict>> {
    for (const content of contents) {
      const inclusion = await this.#deps.chain.find(content);
      if (inclusion !== undefined) return { inclusion, content };
    }
    return {};
  }

  #contradicted(proof: StoredProof): CheckedProof {
    const fault = this.#diverged("proof", proof.recordHash, NOT_UNDER);
    return { state: "contradicted", proof, fault, isDamaged: true };
  }

  #diverged(what: "root" | "proof", hash: Uint8Array, fault: string): string {
    this.#deps.telemetry.journalDiverged(`${what} ${hex(hash)}`, fault);
    return fault;
  }
}

/** Returns what can have been anchored over the leaves of an open anchor. */
function contentsOf(hashes: readonly Uint8Array[]): AnchorContent[] {
  if (hashes.length === 0 || hashes.length > MAX_TREE_SIZE) return [];
  const root = contentOver(hashes, true).content;
  return hashes.length === 1 ? [contentOver(hashes).content, root] : [root];
}
