import { hash } from "node:crypto";
import type { ProofClient, RestoredDocument } from "../../client/index.ts";

const BATCH = 1_000;
const AT_ONCE = 2;
/** A prime: its multiples meet every document before they meet one again. */
const STEP = 7_368_787;

/** Documents that are always the same, and need not be kept. */
export function restoredDocument(index: number): RestoredDocument {
  return { document_id: `archive/${index % 1_000}/document-${index}.pdf`, hash: hash("sha256", `${index}`) };
}

/** Records documents, many to a transaction. */
export async function recordDocuments(url: string, count: number, onProgress: (done: number) => void): Promise<void> {
  let first = 0;
  const record = async (): Promise<void> => {
    while (first < count) {
      const documents = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => restoredDocument(first + index));
      first += documents.length;
      const response = await fetch(`${url}/api/v1/proof/batch`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ documents }),
      });
      if (response.status !== 201) throw new Error(`documents were not recorded: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
      onProgress(first);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, record));
}

/** All of them, in an order in which neighbours were not recorded together. */
export function* inRandomOrder(count: number): Generator<RestoredDocument, void> {
  for (let index = 0; index < count; index += 1) yield restoredDocument((index * STEP) % count);
}

/** Has them compared; counts the rows as they are told. */
export async function compareAll(client: ProofClient, count: number, onRow: () => void): Promise<void> {
  const rows = client.verifyRestored(inRandomOrder(count));
  let last = await rows.next();
  for (; last.done !== true; last = await rows.next()) onRow();
  const { totals } = last.value;
  if (totals.match !== count) throw new Error(`of ${count} documents ${totals.match} match`);
}
