import { attestationPdf } from "./attestation/attestation-pdf.ts";
import { signedAttestation } from "./attestation/jws.ts";
import { AttestationService, type AttestationServiceParts } from "./domain/attestation/attestation-service.ts";
import { canonicalJson } from "./domain/evidence/canonical-json.ts";
import type { Attest } from "./http/proofs/attest-router.ts";

/** Statements from their facts to their signature, put together. */
export function createAttesting(parts: AttestationServiceParts): Attest {
  const service = new AttestationService(parts);
  return async (subject, audience) => {
    const { attestation, signer } = await service.attest(subject, audience);
    const text = canonicalJson(attestation);
    const jws = await signedAttestation(text, signer);
    return { attestation, jws, pdf: () => attestationPdf(attestation, text, jws) };
  };
}
