import { type Request, type Response, Router } from "express";
import type { Statement, Audience } from "./responses.ts";
import type { Attachment } from "./facts.ts";
import type { AttestationSubject } from "./service.ts";
import { SealbookError } from "../errors.ts";
import { parseInput } from "../http/errors.ts";
import { jsonBody } from "../http/json-body.ts";
import { onlyMethods } from "../http/only-methods.ts";
import { AttestBody } from "./schemas.ts";

const MAX_BODY = 64 * 1024;
const JSON_TYPE = "application/json";
export const JOSE_TYPE = "application/jose";
export const PDF_TYPE = "application/pdf";
const TYPES = [JSON_TYPE, JOSE_TYPE, PDF_TYPE];

/** A statement that is signed. */
export interface SignedAttestation {
  readonly attestation: Statement;
  /** Compact JWS. */
  readonly jws: string;
  /** The files that the statement names. */
  readonly attachments: readonly Attachment[];
  /** The same for people, as PDF. */
  pdf(): Promise<Uint8Array>;
}

/** Makes and signs a statement. */
export type Attest = (subject: AttestationSubject, audience: Audience) => Promise<SignedAttestation>;

/** `POST /api/v1/recovery/attest` */
export function attestRouter(attest: Attest): Router {
  const router = Router();
  router
    .route("/")
    .post(jsonBody(MAX_BODY), async (request: Request, response: Response) => {
      const type = request.accepts(TYPES);
      if (type === false) throw new SealbookError("not_acceptable", `statements are given as ${TYPES.join(", ")}`);
      const { subject, audience } = parseInput(AttestBody, request.body);
      const { attestation, jws, attachments, pdf } = await attest(subject, audience);
      response.vary("Accept");
      const name = `attestation-${audience}-${attestation.issued_at}`;
      if (type === PDF_TYPE)
        response
          .attachment(`${name}.pdf`)
          .type(PDF_TYPE)
          .send(Buffer.from(await pdf()));
      else if (type === JOSE_TYPE)
        response.attachment(`${name}.jws`).set("Content-Type", JOSE_TYPE).send(Buffer.from(jws));
      else
        response.json({
          attestation: jws,
          statement: attestation,
          attachments,
          kid: attestation.issuer.key_id,
          jwks_url: attestation.issuer.jwks_url,
        });
    })
    .all(onlyMethods("POST"));
  return router;
}
