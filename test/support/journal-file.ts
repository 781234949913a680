import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { proofsOnDisk } from "./journal-rows.ts";
import type { ProofRequest } from "./exactly-once.ts";

/** How far a proof has come on its way, as the disk says. */
export type Stage = "absent" | "accepted" | "batched" | "signed" | "journalled";

const STAGES: Readonly<Record<string, Stage>> = { queued: "batched", sent: "signed", confirmed: "journalled" };

/** Reads the journal of a server from outside, as it is on disk after a kill. */
export function stageOf(directory: string, { hash }: ProofRequest): Stage {
  const database = new DatabaseSync(join(directory, "sealbook.sqlite"), { readOnly: true });
  try {
    const row = proofsOnDisk(database).find((proof) => Buffer.from(proof.hash).toString("hex") === hash);
    if (row === undefined) return "absent";
    return row.state === null ? "accepted" : (STAGES[row.state] ?? "absent");
  } finally {
    database.close();
  }
}
