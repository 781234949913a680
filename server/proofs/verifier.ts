import type { JournalEvents } from "../journal/events.ts";
import { hex } from "../kit/bytes.ts";
import { type CheckedProof, ProofCheck, type ProofCheckDeps } from "./check.ts";
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
  readonly telemetry: Pick<JournalEvents, "journalDiverged" | "divergenceResolved">;
}

/** Checks the journal's records against the chain. */
export class ProofVerifier {
  readonly #deps: ProofVerifierDeps;

  constructor(deps: ProofVerifierDeps) {
    this.#deps = deps;
  }

  /** Begins to check proofs for one request. */
  begin(): ProofCheck {
    const { journal, chain, telemetry } = this.#deps;
    return new ProofCheck({ anchors: journal.anchors, chain, telemetry });
  }

  /**
   * Checks whether a document's hash is recorded: the journal supplies the anchor, the chain is authoritative.
   * @param check That of the request, when it is about several hashes
   * @throws SealbookError `chain_unavailable` when the chain cannot be queried; `journal_damaged` when a row that the
   *   index leads to was changed
   */
  async verify(hash: Uint8Array, check = this.begin()): Promise<Verification> {
    const { journal, telemetry } = this.#deps;
    let isKnown = false;
    let fault: string | undefined;
    for await (const proof of journal.proofs.byHash(hash)) {
      isKnown = true;
      const result = await resultOf(check, proof);
      if (result.state === "confirmed") {
        telemetry.divergenceResolved(`proof ${hex(proof.recordHash)}`);
        return { valid: true, proof: result.proof };
      }
      if (result.state === "contradicted") fault ??= result.fault;
    }
    if (fault !== undefined) return { valid: false, message: fault };
    if (isKnown) return { valid: false, message: "No proof found for this hash yet: its anchoring is pending" };
    return { valid: false, message: "No proof found for this hash" };
  }

  /**
   * Checks again what an earlier verification or comparison found; resolves it when journal and chain agree.
   * @param subject `proof` or `root`, and the recorded or anchored hash
   */
  async recheck(subject: string): Promise<void> {
    const [, kind, digits = ""] = /^(proof|root) ([0-9a-f]{64})$/.exec(subject) ?? [];
    if (kind === undefined) return;
    const { journal, telemetry } = this.#deps;
    const hash = Buffer.from(digits, "hex");
    const check = this.begin();
    if (kind === "proof") {
      const proofs = await journal.proofs.byRecordHashes([hash]);
      if (proofs.length === 0) return;
      for (const proof of proofs) if ((await check.of(proof)).state === "contradicted") return;
    } else {
      const anchor = await journal.anchors.byHash(hash);
      if (anchor === undefined) return;
      const { id: anchorId, hash: root, size, outcome } = anchor;
      const content = { hash: root, size };
      if ((await check.faultOf({ anchorId, content, outcome, fault: undefined })) !== undefined) return;
    }
    telemetry.divergenceResolved(subject);
  }
}

/** What the journal has no confirmation of is pending while the chain cannot be asked. */
function resultOf(check: ProofCheck, proof: StoredProof): Promise<CheckedProof> {
  return proof.outcome.state === "confirmed" ? check.of(proof) : check.recorded(proof);
}
