import { hashesUnder } from "../journal/integrity/stored-anchor.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { equalBytes } from "../kit/bytes.ts";
import { type ConfirmedProof, metadataOf } from "./proof.ts";

/**
 * Returns a confirmed proof with all its facts from entries that are checked against the journal's checkpoint.
 * @throws SealbookError `journal_damaged` when the database has other facts; `chain_unavailable`
 */
export async function verifiedProof(entries: VerifiedEntries, stored: ConfirmedProof): Promise<ConfirmedProof> {
  const entry = await entries.entry(stored.sequence);
  const confirmation = await entries.entry(stored.confirmation ?? 0);
  const isOwn =
    entry.kind === "proof" &&
    confirmation.kind === "confirmation" &&
    confirmation.checkpoint === null &&
    confirmation.anchor === stored.anchorId &&
    confirmation.batch === entry.batch &&
    confirmation.firstLeaf <= entry.leaf &&
    entry.leaf < confirmation.firstLeaf + hashesUnder(confirmation) &&
    entry.documentId === stored.documentId &&
    equalBytes(entry.hash, stored.hash);
  if (!isOwn) return entries.damaged(`entry ${stored.sequence} is not confirmed by entry ${stored.confirmation}`);
  const {
    contract,
    transactionHash,
    blockNumber: number,
    blockHash,
    blockTime: time,
    validator,
    hash,
    size,
  } = confirmation;
  return {
    ...stored,
    documentId: entry.documentId,
    hash: entry.hash,
    recordHash: recordHash(entry),
    metadata: metadataOf(entry),
    acceptedAt: entry.acceptedAt,
    leafIndex: entry.leaf - confirmation.firstLeaf,
    content: { hash, size },
    outcome: { state: "confirmed", contract, transactionHash, block: { number, hash: blockHash, time, validator } },
  };
}
