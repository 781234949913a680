import { yieldToEventLoop } from "../kit/event-loop.ts";
import { type AnchorQueries, contradictionOf, giveContent } from "../journal/integrity/stored-anchor.ts";
import type { ConfirmedProof, ProofJournal } from "../proofs/index.ts";
import type { JournalEvents } from "../journal/events.ts";
import type { AnchorContent } from "../chain/contracts/anchors.ts";
import { hex } from "../kit/bytes.ts";

const CHANGED = "the journal's records under its anchor do not give what was anchored: the journal was changed";
const NOT_UNDER = "the journal's record is not under its anchor: the journal was changed";
/** Maximum number of cached anchors; further ones may be checked more than once. */
const MAX_PASSED = 100_000;
const NO_ANCHOR = "the journal calls it confirmed without an anchor";

/**
 * Checks proofs against the chain: the recorded hashes under an anchor, recomputed from the journal, must give the hash
 * on chain, and the proof must be one of them. An audit serves one comparison and checks each anchor once.
 */
export class AnchorAudit {
  readonly #anchors: Pick<ProofJournal["anchors"], "leaves">;
  readonly #chain: AnchorQueries;
  readonly #telemetry: Pick<JournalEvents, "journalDiverged">;
  /** Ids of the anchors that passed. */
  readonly #passed = new Set<number>();
  /** Anchors that failed, and those in progress. */
  readonly #others = new Map<number, Promise<string | undefined>>();

  constructor(
    anchors: Pick<ProofJournal["anchors"], "leaves">,
    chain: AnchorQueries,
    telemetry: Pick<JournalEvents, "journalDiverged">,
  ) {
    this.#anchors = anchors;
    this.#chain = chain;
    this.#telemetry = telemetry;
  }

  /**
   * Returns the fault of a proof, if there is one.
   * @throws SealbookError `chain_unavailable` when the chain does not respond
   */
  async faultOf(proof: ConfirmedProof): Promise<string | undefined> {
    const { anchorId, recordHash, content } = proof;
    if (content === undefined) return this.#diverged("proof", recordHash, NO_ANCHOR);
    const isAlone = content.size === 0;
    if (isAlone && Buffer.compare(recordHash, content.hash) !== 0)
      return this.#diverged("proof", recordHash, NOT_UNDER);
    // The anchor's proofs are read from the same rows: those that share a leaf have the same recorded hash.
    return this.#passed.has(anchorId) ? undefined : this.#faultOfAnchor(content, proof);
  }

  #faultOfAnchor(content: AnchorContent, proof: ConfirmedProof): Promise<string | undefined> {
    const { anchorId } = proof;
    const known = this.#others.get(anchorId);
    if (known !== undefined) return known;
    const audit = this.#audit(content, proof).then((fault) => {
      if (fault !== undefined) return fault;
      if (this.#passed.size === MAX_PASSED) this.#passed.clear();
      this.#passed.add(anchorId);
      this.#others.delete(anchorId);
      return undefined;
    });
    this.#others.set(anchorId, audit);
    return audit;
  }

  async #audit(content: AnchorContent, proof: ConfirmedProof): Promise<string | undefined> {
    if (content.size === 0) return this.#contradiction(content, proof);
    const leaves = await this.#anchors.leaves(proof.anchorId);
    // Both take milliseconds: other requests are served between them.
    await yieldToEventLoop();
    return giveContent(leaves, content)
      ? this.#contradiction(content, proof)
      : this.#diverged("root", content.hash, CHANGED);
  }

  async #contradiction(content: AnchorContent, { outcome }: ConfirmedProof): Promise<string | undefined> {
    const contradiction = await contradictionOf(this.#chain, content, outcome);
    return contradiction === undefined ? undefined : this.#diverged("root", content.hash, contradiction);
  }

  #diverged(what: "root" | "proof", hash: Uint8Array, fault: string): string {
    this.#telemetry.journalDiverged(`${what} ${hex(hash)}`, fault);
    return fault;
  }
}
