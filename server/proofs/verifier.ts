import type { AnchorOutcome } from "../journal/integrity/anchor.ts";
import { verifyPath } from "../journal/integrity/merkle.ts";
import type { AnchorChain } from "../chain/contracts/anchor.ts";
import type { ProofJournal } from "./stores.ts";
import type { JournalEvents } from "../journal/events.ts";
import { contradictionOf } from "../journal/integrity/anchor-on-chain.ts";
import type { AnchorTrees } from "./anchor-trees.ts";
import type { StoredProof } from "./proof.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";

/** Whether a document's hash has a proof. */
export type Verification =
  | {
      readonly valid: true;
      readonly proof: StoredProof & { readonly outcome: Extract<AnchorOutcome, { state: "confirmed" }> };
    }
  | { readonly valid: false; readonly message: string };

/** What the verifier needs. */
export interface ProofVerifierDeps {
  readonly journal: Pick<ProofJournal, "proofs">;
  readonly chain: AnchorChain;
  readonly trees: AnchorTrees;
  readonly telemetry: Pick<JournalEvents, "journalDiverged" | "journalAgreed">;
}

/** Checks the journal's records against the chain. */
export class ProofVerifier {
  readonly #deps: ProofVerifierDeps;

  constructor(deps: ProofVerifierDeps) {
    this.#deps = deps;
  }

  /**
   * Whether a document's hash was recorded: the journal says where, the chain decides.
   * @throws SealbookError `chain_unavailable` when the chain cannot be asked
   */
  async verify(hash: Uint8Array): Promise<Verification> {
    const { journal, telemetry } = this.#deps;
    let isKnown = false;
    let divergence: string | undefined;
    for await (const proof of journal.proofs.byHash(hash)) {
      isKnown = true;
      if (proof.outcome.state !== "confirmed") continue;
      const message = await this.#divergence(proof);
      const subject = `proof ${Buffer.from(proof.recordHash).toString("hex")}`;
      if (message === undefined) {
        telemetry.journalAgreed(subject);
        return { valid: true, proof: { ...proof, outcome: proof.outcome } };
      }
      telemetry.journalDiverged(subject, message);
      divergence ??= message;
    }
    if (divergence !== undefined) return { valid: false, message: divergence };
    if (isKnown) return { valid: false, message: "No proof found for this hash yet: its anchoring is pending" };
    return { valid: false, message: "No proof found for this hash" };
  }

  /** How the chain contradicts the journal, if it does. */
  async #divergence(proof: StoredProof): Promise<string | undefined> {
    const { documentId, hash, metadata, outcome, content } = proof;
    const recomputed = recordHash({ documentId, timestamp: metadata.timestamp, type: metadata.type ?? "", hash });
    if (Buffer.compare(recomputed, proof.recordHash) !== 0) {
      return "The journal's record of this hash does not belong to its recorded hash: the journal was changed";
    }
    if (outcome.state !== "confirmed" || content === undefined) {
      return "The journal calls this record confirmed without an anchor";
    }
    if (!(await this.#isUnder(proof, content))) {
      return "The journal's record of this hash is not under its anchor: the journal was changed";
    }
    return contradictionOf(this.#deps.chain, content, outcome);
  }

  /** Whether a record's hash leads to what its anchor put on chain. */
  async #isUnder(proof: StoredProof, content: NonNullable<StoredProof["content"]>): Promise<boolean> {
    if (content.size === 0) return Buffer.compare(proof.recordHash, content.hash) === 0;
    const { anchorId, leafIndex, recordHash } = proof;
    const tree = await this.#deps.trees.of(anchorId, content).catch(() => undefined);
    return tree !== undefined && leafIndex < tree.size && verifyPath(recordHash, tree.path(leafIndex), content.hash);
  }
}
