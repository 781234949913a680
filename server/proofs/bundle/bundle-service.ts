import type { Proof } from "../proof.ts";
import type { EvidenceSource } from "../../chain/evidence/anchor-evidence.ts";
import { bundleOf } from "./bundle.ts";
import { type BundleSigner, signedBundle } from "./signed-bundle.ts";

/** Dependencies of the service. */
export interface BundleServiceDeps {
  readonly evidence: EvidenceSource;
  /** Keys change at run time: fetch the signer for each signature. */
  readonly issuer: { signer(): Promise<BundleSigner> };
  /** Throws SealbookError `journal_damaged` while a divergence of the journal's history is open. */
  readonly assertIntact: () => void;
}

/** Creates bundles of proofs. */
export class BundleService {
  readonly #deps: BundleServiceDeps;

  constructor(deps: BundleServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the bundle of a proof as text, which must be stored and sent unchanged.
   * @param signer Defaults to the issuer's current one
   * @returns `undefined` while the proof is not confirmed, and when the chain does not have its anchor in this form
   * @throws SealbookError `chain_unavailable`; `journal_damaged` while a divergence of the journal's history is open
   */
  async bundleFor(proof: Proof, signer?: BundleSigner): Promise<string | undefined> {
    if (proof.outcome.state !== "confirmed") return undefined;
    const { evidence, issuer, assertIntact } = this.#deps;
    const found = await evidence.evidenceOf(proof.merkle?.root ?? proof.recordHash, proof.outcome.contract);
    const bundle = found && bundleOf(proof, found);
    const current = signer ?? (await issuer.signer());
    assertIntact();
    return bundle && signedBundle(bundle, current);
  }
}
