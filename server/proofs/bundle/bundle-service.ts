import type { EvidenceSource } from "../../chain/evidence/anchor-evidence.ts";
import type { Issuer } from "../../issuer/issuer.ts";
import type { SigningKey } from "../../issuer/signing-key.ts";
import type { Proof } from "../proof.ts";
import { bundleOf } from "./bundle.ts";
import { signedBundle } from "./signed-bundle.ts";

/** Dependencies of the service. */
export interface BundleServiceDeps {
  readonly evidence: EvidenceSource;
  readonly issuer: Pick<Issuer, "signingKey">;
}

/** Creates bundles of proofs. */
export class BundleService {
  readonly #deps: BundleServiceDeps;

  constructor(deps: BundleServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the bundle of a proof as text, which must be stored and sent unchanged.
   * @param key Defaults to the issuer's current one
   * @returns `undefined` while the proof is not confirmed, and when the chain does not have its anchor in this form
   * @throws SealbookError `chain_unavailable`; `journal_damaged` while a divergence of the journal's history is open
   */
  async bundleFor(proof: Proof, key?: SigningKey): Promise<string | undefined> {
    if (proof.outcome.state !== "confirmed") return undefined;
    const { evidence, issuer } = this.#deps;
    const found = await evidence.evidenceOf(proof.merkle?.root ?? proof.recordHash, proof.outcome.contract);
    const bundle = found && bundleOf(proof, found);
    return bundle && signedBundle(bundle, key ?? (await issuer.signingKey()));
  }
}
