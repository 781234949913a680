import { SealbookError } from "../errors.ts";

const RETRY_SECONDS = 5;

/**
 * Awaits what follows a write that is on disk.
 * @throws SealbookError `outcome_unknown` when the journal cannot be read any more: `journal_unavailable` would say
 * that nothing was written
 */
export async function afterCommit<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof SealbookError && error.code === "journal_unavailable")) throw error;
    const message =
      "the call is in the journal, which cannot be read now: repeat it with the same Idempotency-Key for its outcome";
    throw new SealbookError("outcome_unknown", message, { cause: error, retryAfterSeconds: RETRY_SECONDS });
  }
}
