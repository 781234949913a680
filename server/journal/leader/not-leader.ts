import { SealbookError } from "../../errors.ts";

/** The error of a write in a relayer that does not lead. */
export function notLeader(cause?: unknown): SealbookError {
  const message = "another relayer writes the journal, or none does at this moment";
  return new SealbookError("not_leader", message, { cause, retryAfterSeconds: 1 });
}
