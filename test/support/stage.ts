import type { EngineDatabase } from "./engine-database.ts";
import type { ProofRequest } from "./exactly-once.ts";

/** How far a proof has come on its way, as the database says. */
export type Stage = "absent" | "accepted" | "batched" | "signed" | "journalled";

const STAGES: Readonly<Record<string, Stage>> = { queued: "batched", sent: "signed", confirmed: "journalled" };

/** Reads the journal of a server from outside, as it is after a kill. */
export async function stageOf(database: EngineDatabase, { hash }: ProofRequest): Promise<Stage> {
  const [row] = await database.ask(
    `select transactions.state from proofs join anchors on anchors.id = proofs.anchor_id
     left join transactions on transactions.id = anchors.transaction_id where proofs.hash = ${database.literal(Buffer.from(hash, "hex"))}`,
  );
  if (row === undefined) return "absent";
  const state = row["state"];
  return typeof state === "string" ? (STAGES[state] ?? "absent") : "accepted";
}
