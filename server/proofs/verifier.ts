import type { JournalEvents } from "../journal/events.ts";
import { AnchoredLeaves } from "./anchored-leaves.ts";
import { assertUndamaged, type CheckedProof, ProofCheck, type ProofCheckDeps } from "./check.ts";
import type { ConfirmedProof, StoredProof } from "./proof.ts";
import type { ProofJournal } from "./proof-store.ts";

/** Result of the verification of a document's hash. */
export type Verification =
  | {
      readonly valid: true;
      readonly proof: ConfirmedProof;
    }
  | { readonly valid: false; readonly message: string };

/** Dependencies of the verifier. */
export interface ProofVerifierDeps {
  readonly journal: Pick<ProofJournal, "proofs" | "anchors">;
  readonly chain: ProofCheckDeps["chain"];
  readonly telemetry: Pick<JournalEvents, "journalDiverged">;
  /** Throws SealbookError `journal_damaged` while the index is known to miss records. */
  readonly assertFindable: () => void;
}

/** Checks the journal's records against the chain. */
export class ProofVerifier {
  readonly #deps: ProofVerifierDeps;
  readonly #leaves: AnchoredLeaves;

  constructor(deps: ProofVerifierDeps) {
    this.#deps = deps;
    this.#leaves = new AnchoredLeaves(deps.journal.anchors);
  }

  /** Begins to check proofs for one request. */
  begin(): ProofCheck {
    const { journal, chain, telemetry } = this.#deps;
    return new ProofCheck({ anchors: journal.anchors, leaves: this.#leaves, chain, telemetry });
  }

  /**
   * Checks whether a document's hash is recorded: the journal supplies the anchor, the chain is authoritative.
   * @param check That of the request, when it is about several hashes
   * @throws SealbookError `chain_unavailable` when the chain cannot be queried; `journal_damaged` when a row that the
   *   index leads to was changed, or the index is known to miss records
   */
  async verify(hash: Uint8Array, check = this.begin()): Promise<Verification> {
    const { journal } = this.#deps;
    let isKnown = false;
    let contradicted: Extract<CheckedProof, { state: "contradicted" }> | undefined;
    for await (const proof of journal.proofs.byHash(hash)) {
      isKnown = true;
      const result = await resultOf(check, proof);
      if (result.state === "confirmed") return { valid: true, proof: result.proof };
      if (result.state === "contradicted") contradicted ??= result;
    }
    if (contradicted !== undefined) {
      assertUndamaged(contradicted);
      return { valid: false, message: contradicted.fault };
    }
    if (!isKnown) this.#deps.assertFindable();
    else return { valid: false, message: "No proof found for this hash yet: its anchoring is pending" };
    return { valid: false, message: "No proof found for this hash" };
  }
}

/** What the journal has no confirmation of is pending while the chain cannot be asked. */
function resultOf(check: ProofCheck, proof: StoredProof): Promise<CheckedProof> {
  return proof.outcome.state === "confirmed" ? check.of(proof) : check.recorded(proof);
}
