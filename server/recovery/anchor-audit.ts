import { LRUCache } from "lru-cache";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { type AnchorQueries, contradictionOf, giveContent } from "../journal/integrity/stored-anchor.ts";
import type { ConfirmedProof, ProofJournal } from "../proofs/index.ts";
import type { JournalEvents } from "../journal/events.ts";
import type { AnchorContent } from "../chain/contracts/anchors.ts";
import { equalBytes, hex } from "../kit/bytes.ts";

const CHANGED = "the journal's records under its anchor do not give what was anchored: the journal was changed";
const NOT_UNDER = "the journal's record is not under its anchor: the journal was changed";
/** Bytes of a recorded hash that are kept. */
const PREFIX_BYTES = 8;
/** Maximum bytes for the leaves of anchors; further anchors may be checked more than once. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Size of an anchor without its leaves. */
const ANCHOR_BYTES = 256;
const NO_ANCHOR = "the journal calls it confirmed without an anchor";

/**
 * Checks proofs against the chain: the recorded hashes under an anchor, recomputed from the journal, must give the hash
 * on chain, and that of the proof must be its leaf. An audit serves one comparison and checks each anchor once.
 */
export class AnchorAudit {
  readonly #anchors: Pick<ProofJournal["anchors"], "leaves">;
  readonly #chain: AnchorQueries;
  readonly #telemetry: Pick<JournalEvents, "journalDiverged">;
  /** The leaves of the anchors that passed: the beginnings of their recorded hashes. */
  readonly #passed = new LRUCache<number, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: (leaves) => leaves.length + ANCHOR_BYTES,
  });
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
    const fault = this.#passed.has(anchorId) ? undefined : await this.#faultOfAnchor(content, proof);
    return fault ?? this.#faultOfLeaf(proof);
  }

  #faultOfLeaf({ anchorId, leafIndex, recordHash }: ConfirmedProof): string | undefined {
    const at = leafIndex * PREFIX_BYTES;
    const leaf = this.#passed.get(anchorId)?.subarray(at, at + PREFIX_BYTES);
    const isOwn = leaf !== undefined && equalBytes(leaf, recordHash.subarray(0, PREFIX_BYTES));
    return isOwn ? undefined : this.#diverged("proof", recordHash, NOT_UNDER);
  }

  #faultOfAnchor(content: AnchorContent, proof: ConfirmedProof): Promise<string | undefined> {
    const { anchorId } = proof;
    const known = this.#others.get(anchorId);
    if (known !== undefined) return known;
    const audit = this.#audit(content, proof).then((fault) => {
      if (fault === undefined) this.#others.delete(anchorId);
      return fault;
    });
    this.#others.set(anchorId, audit);
    return audit;
  }

  async #audit(content: AnchorContent, proof: ConfirmedProof): Promise<string | undefined> {
    const leaves = content.size === 0 ? [content.hash] : await this.#anchors.leaves(proof.anchorId);
    // Both take milliseconds: other requests are served between them.
    await yieldToEventLoop();
    if (!giveContent(leaves, content)) return this.#diverged("root", content.hash, CHANGED);
    const fault = await this.#contradiction(content, proof);
    if (fault === undefined)
      this.#passed.set(proof.anchorId, Buffer.concat(leaves.map((leaf) => leaf.subarray(0, PREFIX_BYTES))));
    return fault;
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
