import { readFileSync } from "node:fs";
import type { AttestationPrinter } from "../attestation/pdf/attestation-printer.ts";
import { AttestationService, type AttestationServiceDeps } from "../attestation/service.ts";
import { signedText } from "../issuer/jws.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import { canonicalJson } from "../kit/json.ts";
import type { Attest } from "../attestation/routes.ts";

const VERIFIER = new URL("../../verifier/verify.mjs", import.meta.url);
/** A statement of a thousand records takes a few hundred milliseconds of the thread, and some ten megabytes. */
const MAX_CONCURRENT_STATEMENTS = 2;
/** Statements that run or wait. As a PDF one takes about a second. */
const UNFINISHED_STATEMENTS = { jobs: "statements", perKey: 16, all: 64 };

/** Builds signed attestations. */
export function createAttestation(
  deps: Omit<AttestationServiceDeps, "verifier">,
  printer: Pick<AttestationPrinter, "print">,
): Attest {
  const service = new AttestationService({ ...deps, verifier: readFileSync(VERIFIER, "utf8") });
  const queue = new KeyedQueue<string>(MAX_CONCURRENT_STATEMENTS, MAX_CONCURRENT_STATEMENTS, UNFINISHED_STATEMENTS);
  return (subject, audience, { caller, asPdf }) =>
    queue.run(caller, async () => {
      const { attestation, key, attachments } = await service.attest(subject, audience);
      const text = canonicalJson(attestation);
      const jws = signedText(text, key, "sealbook-attestation+jws");
      const pdf = asPdf ? await printer.print({ text, jws, attachments }) : undefined;
      const { key_id: keyId, jwks_url: jwksUrl } = attestation.issuer;
      return { issuedAt: attestation.issued_at, keyId, jwksUrl, text, jws, attachments, pdf };
    });
}
