// Module of the threads of AttestationPrinter.
import { serveJobs } from "../../kit/workers/reply.ts";
import { attestationPdf } from "./attestation-pdf.ts";
import type { Attachment } from "../facts.ts";
import type { Statement } from "../responses.ts";

/** A statement to be printed. */
export interface PrintJob {
  readonly statement: Statement;
  /** The signed payload. */
  readonly text: string;
  readonly jws: string;
  readonly attachments: readonly Attachment[];
}

export const print = serveJobs(({ statement, text, jws, attachments }: PrintJob) =>
  attestationPdf(statement, text, jws, attachments),
);
