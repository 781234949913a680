import pg from "pg";
import { SealbookError } from "../../errors.ts";

const RETRY_SECONDS = 5;
/**
 * Classes and codes of transient errors: lost connections, too few resources, a server that starts or stops, a lock
 * time-out, a terminated session, and a server that became read-only.
 */
const PASSING = /^(08|53|57P|55P03|25P03|25006)/;

/** Translates a transient error to `journal_unavailable`; returns others as they are. */
export function translateError(error: unknown): unknown {
  // Errors of the server have a code; others are connection errors, except faults in this code.
  const isPassing = error instanceof pg.DatabaseError ? PASSING.test(error.code ?? "") : !isOurs(error);
  if (!isPassing) return error;
  return new SealbookError("journal_unavailable", "the database does not respond", {
    cause: error,
    retryAfterSeconds: RETRY_SECONDS,
  });
}

function isOurs(error: unknown): boolean {
  return (
    error instanceof SealbookError ||
    error instanceof RangeError ||
    error instanceof TypeError ||
    !(error instanceof Error)
  );
}
