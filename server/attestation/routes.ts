import type { Audience } from "./responses.ts";
import type { Attachment } from "./facts.ts";
import { SealbookError } from "../errors.ts";
import { apiCaller } from "../http/access/caller.ts";
import { type ServedRoute, serveRaw } from "../http/serve.ts";
import { attest, type AttestationSubject, JOSE_TYPE, PDF_TYPE } from "./api.ts";

const TYPES = ["application/json", JOSE_TYPE, PDF_TYPE];

/** A statement that is signed. */
export interface SignedAttestation {
  /** Unix seconds. */
  readonly issuedAt: number;
  readonly keyId: string;
  readonly jwksUrl: string;
  /** The statement as JSON: the payload of the JWS. */
  readonly text: string;
  /** Compact JWS. */
  readonly jws: string;
  /** The files that the statement names. */
  readonly attachments: readonly Attachment[];
  /** The same for people; `undefined` when it was not requested. */
  readonly pdf: Uint8Array | undefined;
}

/** How a statement is made. */
export interface AttestOptions {
  /** Callers are scheduled round-robin. */
  readonly caller: string;
  readonly asPdf: boolean;
}

/**
 * Queues a statement of a caller, makes it and signs it.
 * @throws SealbookError `too_many_requests` or `overloaded` when too many statements wait
 */
export type Attest = (
  subject: AttestationSubject,
  audience: Audience,
  options: AttestOptions,
) => Promise<SignedAttestation>;

/** Signed statements. */
export function attestRoute(makeStatement: Attest): ServedRoute {
  return serveRaw(attest)(async ({ body: { subject, audience } }, request, response) => {
    const type = request.accepts(TYPES);
    if (type === false) throw new SealbookError("not_acceptable", `statements are given as ${TYPES.join(", ")}`);
    const { kind, id } = apiCaller(request);
    const signed = await makeStatement(subject, audience, { caller: `${kind} ${id}`, asPdf: type === PDF_TYPE });
    const { issuedAt, keyId, jwksUrl, text, jws, attachments, pdf } = signed;
    response.vary("Accept");
    const name = `attestation-${audience}-${issuedAt}`;
    if (pdf !== undefined)
      response
        .attachment(`${name}.pdf`)
        .type(PDF_TYPE)
        .send(Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength));
    else if (type === JOSE_TYPE)
      response.attachment(`${name}.jws`).set("Content-Type", JOSE_TYPE).send(Buffer.from(jws));
    else {
      // The statement is sent as it was signed: it can be long, and is not written once more.
      const rest = JSON.stringify({ attachments, kid: keyId, jwks_url: jwksUrl });
      response.type("json").send(`{"attestation":"${jws}","statement":${text},${rest.slice(1)}`);
    }
  });
}
