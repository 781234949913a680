import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { ProofJournal } from "./proof-store.ts";
import type { JournalEvents } from "../journal/events.ts";
import { type AnchorOutcome, isLeafUnder } from "../journal/integrity/stored-anchor.ts";
import { contradictionOf } from "../journal/integrity/anchor-on-chain.ts";
import type { AnchorTrees } from "./anchor-trees.ts";
import type { StoredProof } from "./proof.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";
import { hex } from "../kit/hex.ts";

/** Result of the verification of a document's hash. */
export type Verification =
  | {
      readonly valid: true;
      readonly proof: StoredProof & { readonly outcome: Extract<AnchorOutcome, { state: "confirmed" }> };
    }
  | { readonly valid: false; readonly message: string };

/** Dependencies of the verifier. */
export interface ProofVerifierDeps {
  readonly journal: Pick<ProofJournal, "proofs">;
  readonly chain: Pick<ProofAnchorClient, "anchorOf" | "blockOf">;
  readonly trees: AnchorTrees;
  readonly telemetry: Pick<JournalEvents, "journalDiverged" | "divergenceResolved">;
}

/** Checks the journal's records against the chain. */
export class ProofVerifier {
  readonly #deps: ProofVerifierDeps;

  constructor(deps: ProofVerifierDeps) {
    this.#deps = deps;
  }

  /**
   * Checks whether a document's hash is recorded: the journal supplies the anchor, the chain is authoritative.
   * @throws SealbookError `chain_unavailable` when the chain cannot be queried
   */
  async verify(hash: Uint8Array): Promise<Verification> {
    const { journal, telemetry } = this.#deps;
    let isKnown = false;
    let divergence: string | undefined;
    for await (const proof of journal.proofs.byHash(hash)) {
      isKnown = true;
      if (proof.outcome.state !== "confirmed") continue;
      const message = await this.#divergence(proof);
      const subject = `proof ${hex(proof.recordHash)}`;
      if (message === undefined) {
        telemetry.divergenceResolved(subject);
        return { valid: true, proof: { ...proof, outcome: proof.outcome } };
      }
      telemetry.journalDiverged(subject, message);
      divergence ??= message;
    }
    if (divergence !== undefined) return { valid: false, message: divergence };
    if (isKnown) return { valid: false, message: "No proof found for this hash yet: its anchoring is pending" };
    return { valid: false, message: "No proof found for this hash" };
  }

  /** Returns the contradiction between chain and journal, if there is one. */
  async #divergence(proof: StoredProof): Promise<string | undefined> {
    const { documentId, hash, metadata, outcome, content } = proof;
    const recomputed = recordHash({ documentId, timestamp: metadata.timestamp, type: metadata.type, hash });
    if (Buffer.compare(recomputed, proof.recordHash) !== 0) {
      return "The journal's record of this hash does not belong to its recorded hash: the journal was changed";
    }
    if (outcome.state !== "confirmed" || content === undefined) {
      return "The journal calls this record confirmed without an anchor";
    }
    const tree = await this.#deps.trees.of(proof.anchorId, content).catch(() => undefined);
    if (!isLeafUnder(proof.recordHash, proof.leafIndex, content, tree)) {
      return "The journal's record of this hash is not under its anchor: the journal was changed";
    }
    return contradictionOf(this.#deps.chain, content, outcome);
  }
}
