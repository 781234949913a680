import { contentOver } from "../proofs/anchor.ts";
import { contradictionOf } from "../proofs/anchor-on-chain.ts";
import type { AnchorChain, Journal, Telemetry } from "../ports.ts";
import type { ConfirmedProof } from "./restored.ts";

/**
 * Checks proofs against the chain, each anchor once: its recorded hashes are computed from the journal's facts again and
 * have to give what the chain has. One audit serves one comparison, so that nothing is believed from before it.
 */
export class AnchorAudit {
  readonly #anchors: Pick<Journal["anchors"], "leaves">;
  readonly #chain: AnchorChain;
  readonly #telemetry: Pick<Telemetry, "journalDiverged">;
  readonly #audited = new Map<number, Promise<string | undefined>>();

  constructor(anchors: Pick<Journal["anchors"], "leaves">, chain: AnchorChain, telemetry: Pick<Telemetry, "journalDiverged">) {
    this.#anchors = anchors;
    this.#chain = chain;
    this.#telemetry = telemetry;
  }

  /**
   * What is wrong with a proof's anchor, if something is.
   * @throws SealbookError `chain_unavailable` when the chain cannot be asked
   */
  faultOf(proof: ConfirmedProof): Promise<string | undefined> {
    const known = this.#audited.get(proof.anchorId);
    if (known !== undefined) return known;
    const audit = this.#audit(proof);
    this.#audited.set(proof.anchorId, audit);
    return audit;
  }

  async #audit({ anchorId, content, outcome }: ConfirmedProof): Promise<string | undefined> {
    if (content === undefined) return "the journal calls it confirmed without an anchor";
    const fault = (await this.#isWhole(anchorId, content))
      ? await contradictionOf(this.#chain, content, outcome)
      : "the journal's records under its anchor do not give what was anchored: the journal was changed";
    if (fault !== undefined) this.#telemetry.journalDiverged(`anchor ${Buffer.from(content.hash).toString("hex")}`, fault);
    return fault;
  }

  async #isWhole(anchorId: number, content: NonNullable<ConfirmedProof["content"]>): Promise<boolean> {
    const leaves = await this.#anchors.leaves(anchorId);
    if (leaves.length !== Math.max(1, content.size)) return false;
    return Buffer.compare(contentOver(leaves, content.size > 0).content.hash, content.hash) === 0;
  }
}
