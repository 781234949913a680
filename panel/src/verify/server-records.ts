import { MAX_DOCUMENTS } from "../../../client/proofs.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";
import type { ServerVerdict } from "./verdict.ts";

/**
 * Looks up hashes at this server, as many at once as it accepts.
 * @param signal Ends it
 * @param onFound Called with the verdicts of some of them
 */
export async function serverRecords(
  hashes: readonly string[],
  signal: AbortSignal,
  onFound: (some: ReadonlyMap<string, ServerVerdict>) => void,
): Promise<void> {
  const client = proofClient();
  for (let start = 0; start < hashes.length && !signal.aborted; start += MAX_DOCUMENTS) {
    const some = hashes.slice(start, start + MAX_DOCUMENTS);
    const results = await client.verifyAll(some).catch((error: unknown) => {
      noteUnauthorized(error);
      throw error;
    });
    onFound(new Map(results.map((result, index) => [some[index] ?? "", toVerdict(result)])));
  }
}

function toVerdict(result: Awaited<ReturnType<ReturnType<typeof proofClient>["verifyAll"]>>[number]): ServerVerdict {
  if (!result.valid) return { kind: "not_recorded" };
  const { id: proofId, document_id: documentId, proof } = result;
  const { timestamp, block_number: block, tx_hash: transaction } = proof;
  return { kind: "recorded", timestamp, block, transaction, proofId, documentId };
}
