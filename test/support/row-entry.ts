import { createHash } from "node:crypto";
import type { RowEntry, RowWrite } from "../../server/records/indexed-rows.ts";
import type { RecordContent } from "../../server/records/record.ts";

/** Returns the event of a record; by default each content has a digest of its own. */
export function rowEntry({
  rowId,
  transactionHash = new Uint8Array(32),
  blockNumber = 1,
  digest,
  ...content
}: { rowId: bigint } & RecordContent & Partial<RowWrite>): RowEntry {
  const { sender, code, topic, createdAt, payload } = content;
  const row = { sender, code, topic, createdAt, payload };
  const digested = createHash("sha256")
    .update(JSON.stringify([String(rowId), row]))
    .digest();
  const write = { rowId, transactionHash, blockNumber };
  return { kind: "row", write: { ...write, digest: digest ?? digested }, row };
}
