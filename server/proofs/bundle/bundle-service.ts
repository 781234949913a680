import type { Proof } from "../proof.ts";
import type { EvidenceSource } from "../../chain/evidence/anchor-evidence.ts";
import { bundleOf } from "./bundle.ts";
import type { Issuer } from "./issuer.ts";
import { signedBundle } from "./signed-bundle.ts";

/** Dependencies of the service. */
export interface BundleServiceDeps {
  readonly evidence: EvidenceSource;
  readonly issuer: Pick<Issuer, "signer">;
}

/** Creates bundles of proofs. */
export class BundleService {
  readonly #deps: BundleServiceDeps;

  constructor(deps: BundleServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the bundle of a proof as text, which must be stored and sent unchanged.
   * @returns `undefined` while the proof is not confirmed, and when the chain does not have its anchor in this form
   * @throws SealbookError `chain_unavailable`
   */
  async bundleFor(proof: Proof): Promise<string | undefined> {
    if (proof.outcome.state !== "confirmed") return undefined;
    const { evidence, issuer } = this.#deps;
    const found = await evidence.evidenceOf(proof.merkle?.root ?? proof.recordHash);
    const bundle = found && bundleOf(proof, found);
    return bundle && signedBundle(bundle, await issuer.signer());
  }
}
