import { hash } from "node:crypto";
import { Http } from "../../client/http.ts";
import type { ProofClient, RestoredDocument } from "../../client/index.ts";
import { withRetry } from "../../client/retry.ts";

const BATCH = 1_000;
const AT_ONCE = 2;
const TIMESTAMP = 1_700_000_000;
const RETRY_FOR_MILLISECONDS = 30_000;
/** A prime: its multiples visit every document once before they repeat. */
const STEP = 7_368_787;

/** Returns the document with an index. It is deterministic, so that no document is stored. */
export function restoredDocument(index: number): RestoredDocument {
  return { document_id: `archive/${index % 1_000}/document-${index}.pdf`, hash: hash("sha256", `${index}`) };
}

/** Records documents, many per transaction. A busy server may close a connection that it considers idle. */
export async function recordDocuments(url: string, count: number, onProgress: (done: number) => void): Promise<void> {
  const http = new Http(url);
  let first = 0;
  const record = async (): Promise<void> => {
    while (first < count) {
      const documents = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => ({
        ...restoredDocument(first + index),
        // A retry with the same time is the same record.
        metadata: { timestamp: TIMESTAMP },
      }));
      first += documents.length;
      const send = () => http.send({ method: "POST", path: "api/v1/proof/batch", body: { documents } });
      const { status, body } = await withRetry(send, { retryForMilliseconds: RETRY_FOR_MILLISECONDS });
      if (status !== 200 && status !== 201)
        throw new Error(`documents were not recorded: ${status} ${JSON.stringify(body)}`);
      onProgress(first);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, record));
}

/** Yields all documents, in an order in which neighbours were not recorded together. */
export function* inRandomOrder(count: number): Generator<RestoredDocument, void> {
  for (let index = 0; index < count; index += 1) yield restoredDocument((index * STEP) % count);
}

/** Compares all documents and counts the reported rows. */
export async function compareAll(client: ProofClient, count: number, onRow: () => void): Promise<void> {
  const rows = client.verifyRestored(inRandomOrder(count));
  let last = await rows.next();
  for (; last.done !== true; last = await rows.next()) onRow();
  const { totals } = last.value;
  if (totals.match !== count) throw new Error(`of ${count} documents ${totals.match} match`);
}
