import type { EngineDatabase } from "./engine-database.ts";
import type { ProofRequest } from "./exactly-once.ts";
import { ANCHORS, proofsIn, ROWS } from "./journal-rows.ts";

/** The progress of a proof, according to the database. */
export type Stage = "missing" | "accepted" | "batched" | "signed" | "journalled";

const STAGES: Readonly<Record<string, Stage>> = { queued: "batched", sent: "signed", confirmed: "journalled" };

/** Reads the journal of a server from outside, in its state after a kill. */
export async function stageOf(database: EngineDatabase, { hash }: ProofRequest): Promise<Stage> {
  const proofs = proofsIn(await database.query(ROWS), await database.query(ANCHORS));
  const row = proofs.find((proof) => Buffer.from(proof.hash).toString("hex") === hash);
  if (row === undefined) return "missing";
  return row.state === null ? "accepted" : (STAGES[row.state] ?? "missing");
}
