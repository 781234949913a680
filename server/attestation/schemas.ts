import { z } from "zod";
import { AUDIENCES } from "./responses.ts";
import type { AttestationSubject } from "./service.ts";
import { DocumentId } from "../proofs/index.ts";
import { Sha256 } from "../http/fields.ts";

const SUBJECTS = ["document_id", "hash", "verification_id"] as const;

/** `POST /api/v1/recovery/attest` */
export const AttestBody = z
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
