import { signedText } from "../issuer/jws.ts";
import { canonicalJson } from "../kit/json.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import { workerModule } from "../kit/program-files.ts";
import type { WorkerPool } from "../kit/workers/worker-pool.ts";
import type * as printWorker from "./pdf/print-worker.ts";
import type { Attest } from "./routes.ts";
import type { AttestationService } from "./service.ts";
import { withinDeadline } from "../chain/rpc/rpc.ts";

/** A statement of a thousand records takes a few hundred milliseconds of the thread, and some ten megabytes. */
const MAX_CONCURRENT = 2;
/** Statements that run or wait. */
const UNFINISHED = { jobs: "statements", perKey: 16, all: 64 };

/** Deadline of a PDF; one of a thousand records takes about a second. */
const PRINT_MILLISECONDS = 120_000;

/** Makes, signs and prints statements, a few at a time. */
export function statementQueue(service: Pick<AttestationService, "attest">, workers: WorkerPool): Attest {
  const printer = workers.tasks<typeof printWorker>({
    module: workerModule("server/attestation/pdf/print-worker"),
    jobs: "PDFs",
    deadlineMilliseconds: PRINT_MILLISECONDS,
    maxWaiting: UNFINISHED.all,
  });
  const queue = new KeyedQueue<string>(MAX_CONCURRENT, MAX_CONCURRENT, UNFINISHED);
  return (subject, audience, { caller, asPdf }) =>
    queue.run(caller, async () => {
      const { attestation, key, attachments } = await withinDeadline(service.attest(subject, audience));
      const text = canonicalJson(attestation);
      const jws = signedText(text, key, "sealbook-attestation+jws");
      const pdf = asPdf ? await printer.run("print", { text, jws, attachments }) : undefined;
      const { key_id: keyId, jwks_url: jwksUrl } = attestation.issuer;
      return { issuedAt: attestation.issued_at, keyId, jwksUrl, text, jws, attachments, pdf };
    });
}
