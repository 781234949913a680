import { submitProof } from "../../../server/proofs/api.ts";

/** Whether the server accepts a name as the id of a document; a blank one nobody would find again. */
export function isDocumentId(name: string): boolean {
  return name.trim() !== "" && submitProof.body.in.shape.document_id.safeParse(name).success;
}
