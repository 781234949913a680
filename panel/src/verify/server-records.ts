import { proofClient } from "../access/proof-access.ts";
import type { ServerVerdict } from "./verdict.ts";

/** The most hashes of one request. */
const MOST_HASHES = 1_000;

/** Looks up hashes at this server. */
export async function serverRecords(hashes: readonly string[]): Promise<Map<string, ServerVerdict>> {
  const client = proofClient();
  const verdicts = new Map<string, ServerVerdict>();
  for (let start = 0; start < hashes.length; start += MOST_HASHES) {
    const some = hashes.slice(start, start + MOST_HASHES);
    for (const [index, result] of (await client.verifyAll(some)).entries()) {
      const hash = some[index];
      if (hash === undefined) continue;
      if (!result.valid) {
        verdicts.set(hash, { kind: "not_recorded" });
        continue;
      }
      const { timestamp, block_number: block, tx_hash: transaction } = result.proof;
      verdicts.set(hash, {
        kind: "recorded",
        timestamp,
        block,
        transaction,
        id: result.id,
        documentId: result.document_id,
      });
    }
  }
  return verdicts;
}
