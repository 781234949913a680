import { signedText } from "../issuer/jws.ts";
import { canonicalJson } from "../kit/json.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import type { AttestationPrinter } from "./pdf/attestation-printer.ts";
import type { Attest } from "./routes.ts";
import type { AttestationService } from "./service.ts";
import { withinDeadline } from "../chain/rpc/rpc.ts";

/** A statement of a thousand records takes a few hundred milliseconds of the thread, and some ten megabytes. */
const MAX_CONCURRENT = 2;
/** Statements that run or wait. As a PDF one takes about a second. */
const UNFINISHED = { jobs: "statements", perKey: 16, all: 64 };

/** Makes, signs and prints statements, a few at a time. */
export function statementQueue(
  service: Pick<AttestationService, "attest">,
  printer: Pick<AttestationPrinter, "print">,
): Attest {
  const queue = new KeyedQueue<string>(MAX_CONCURRENT, MAX_CONCURRENT, UNFINISHED);
  return (subject, audience, { caller, asPdf }) =>
    queue.run(caller, async () => {
      const { attestation, key, attachments } = await withinDeadline(service.attest(subject, audience));
      const text = canonicalJson(attestation);
      const jws = signedText(text, key, "sealbook-attestation+jws");
      const pdf = asPdf ? await printer.print({ text, jws, attachments }) : undefined;
      const { key_id: keyId, jwks_url: jwksUrl } = attestation.issuer;
      return { issuedAt: attestation.issued_at, keyId, jwksUrl, text, jws, attachments, pdf };
    });
}
