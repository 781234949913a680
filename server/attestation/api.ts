import * as z from "zod";
import { DocumentId, Sha256 } from "../http/fields.ts";
import { defineRoute } from "../http/route.ts";
import { Attestation, AUDIENCES } from "./responses.ts";
import { Jws } from "../issuer/responses.ts";

export const JOSE_TYPE = "application/jose";
export const PDF_TYPE = "application/pdf";

/** The subject of a statement. */
export type AttestationSubject =
  { readonly documentId: string } | { readonly hash: Uint8Array } | { readonly verificationId: string };

const SUBJECTS = ["document_id", "hash", "verification_id"] as const;

const AttestBody = z
  .object({
    document_id: DocumentId.optional(),
    hash: Sha256.optional(),
    verification_id: z.uuid("is not the id of a verification").optional(),
    audience: z.enum(AUDIENCES, `is not one of ${AUDIENCES.join(", ")}`),
  })
  .transform(({ document_id: documentId, hash, verification_id: verificationId, audience }, context) => {
    const subjects: AttestationSubject[] = [
      ...(documentId === undefined ? [] : [{ documentId }]),
      ...(hash === undefined ? [] : [{ hash }]),
      ...(verificationId === undefined ? [] : [{ verificationId }]),
    ];
    const [subject, ...others] = subjects;
    if (subject !== undefined && others.length === 0) return { subject, audience };
    const message =
      subject === undefined
        ? `is missing: send one of ${SUBJECTS.join(", ")}`
        : `is one too many: send one of ${SUBJECTS.join(", ")}`;
    const named = [documentId, hash, verificationId].map((value) => value !== undefined);
    for (const [index, name] of SUBJECTS.entries()) {
      if (subject === undefined || named[index] === true) context.addIssue({ code: "custom", path: [name], message });
    }
    return z.NEVER;
  })
  .meta({
    id: "AttestBody",
    oneOf: SUBJECTS.map((name) => ({ required: [name] })),
    description:
      "The subject of the statement, which is one of `document_id`, `hash` and `verification_id`, and its audience.",
  });

export const attest = defineRoute({
  id: "attest",
  method: "post",
  path: "/api/v1/recovery/attest",
  tag: "Recovery",
  summary: "Issue an attestation",
  description:
    "Issues a signed statement about the records of a document, a hash or a comparison. The request names " +
    "exactly one of them. The server checks every fact against the chain before signing, and the statement " +
    "contains the steps to check it again. `Accept` selects JSON, the JWS alone, or PDF.",
  body: AttestBody,
  result: Attestation,
  media: {
    [JOSE_TYPE]: Jws,
    [PDF_TYPE]: z
      .string()
      .meta({ description: "The statement as a document, with the JWS attached.", contentMediaType: PDF_TYPE }),
  },
  statuses: {
    200: {
      description: "The statement.",
      headers: { "Content-Disposition": "The file name of the statement." },
    },
  },
  errors: [404, 406, 409],
});
