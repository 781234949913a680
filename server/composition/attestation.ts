import { readFileSync } from "node:fs";
import type { AttestationPrinter } from "../attestation/pdf/attestation-printer.ts";
import { AttestationService, type AttestationServiceDeps } from "../attestation/service.ts";
import { canonicalJson } from "../kit/canonical-json.ts";
import type { Attest } from "../attestation/routes.ts";

const VERIFIER = new URL("../../verifier/verify.mjs", import.meta.url);

/** Builds signed attestations. The module that signs is loaded for the first one. */
export function createAttestation(
  deps: Omit<AttestationServiceDeps, "verifier">,
  printer: Pick<AttestationPrinter, "print">,
): Attest {
  const service = new AttestationService({ ...deps, verifier: readFileSync(VERIFIER, "utf8") });
  return async (subject, audience) => {
    const { attestation, signer, attachments } = await service.attest(subject, audience);
    const text = canonicalJson(attestation);
    const { signedAttestation } = await import("../attestation/jws.ts");
    const jws = await signedAttestation(text, signer.statementKey);
    return {
      attestation,
      jws,
      attachments,
      pdf: () => printer.print({ statement: attestation, text, jws, attachments }),
    };
  };
}
