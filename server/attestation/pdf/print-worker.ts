// Module of the threads that print statements.
import { serveJobs } from "../../kit/workers/reply.ts";
import { attestationPdf } from "./attestation-pdf.ts";
import type { Attachment } from "../facts.ts";
import type { Statement } from "../responses.ts";

/** A statement to be printed: texts, because objects take long to be copied to a thread. */
export interface PrintJob {
  /** The signed payload. */
  readonly text: string;
  readonly jws: string;
  readonly attachments: readonly Attachment[];
}

export const print = serveJobs(({ text, jws, attachments }: PrintJob) => {
  const statement: Statement = JSON.parse(text);
  return attestationPdf(statement, text, jws, attachments);
});
