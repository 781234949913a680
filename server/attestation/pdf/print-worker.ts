import { serveJobs } from "../../kit/job-thread.ts";
import { attestationPdf } from "./attestation-pdf.ts";
import type { PrintJob } from "./attestation-printer.ts";

// Entry point of the thread of AttestationPrinter.
serveJobs<PrintJob>(({ statement, text, jws, attachments }) => attestationPdf(statement, text, jws, attachments));
