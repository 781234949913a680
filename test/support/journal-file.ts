import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ProofRequest } from "./exactly-once.ts";

/** How far a proof has come on its way, as the disk says. */
export type Stage = "absent" | "accepted" | "batched" | "signed" | "journalled";

const STAGES: Readonly<Record<string, Stage>> = { queued: "batched", sent: "signed", confirmed: "journalled" };

/** Reads the journal of a server from outside, as it is on disk after a kill. */
export function stageOf(directory: string, { hash }: ProofRequest): Stage {
  const database = new DatabaseSync(join(directory, "sealbook.sqlite"), { readOnly: true });
  try {
    const row = database
      .prepare(
        `select transactions.state from proofs join anchors on anchors.id = proofs.anchor_id
         left join transactions on transactions.id = anchors.transaction_id where proofs.hash = ?`,
      )
      .get(Buffer.from(hash, "hex"));
    if (row === undefined) return "absent";
    const { state } = row;
    return typeof state === "string" ? (STAGES[state] ?? "absent") : "accepted";
  } finally {
    database.close();
  }
}
