import { AttestationService, type AttestationServiceDeps } from "../attestation/service.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import type { Attest } from "../attestation/routes.ts";

/** Builds signed attestations. The modules that sign and print are loaded for the first one. */
export function createAttestation(deps: AttestationServiceDeps): Attest {
  const service = new AttestationService(deps);
  return async (subject, audience) => {
    const { attestation, signer } = await service.attest(subject, audience);
    const text = canonicalJson(attestation);
    const { signedAttestation } = await import("../attestation/jws.ts");
    const jws = await signedAttestation(text, signer);
    return {
      attestation,
      jws,
      async pdf() {
        const { attestationPdf } = await import("../attestation/pdf/attestation-pdf.ts");
        return attestationPdf(attestation, text, jws);
      },
    };
  };
}
