import pg from "pg";
import { SealbookError } from "../../errors.ts";

const RETRY_SECONDS = 5;
/**
 * Classes and codes of what passes by itself: lost connections, too few resources, a server that starts or stops, a turn
 * that never came or was taken away, and one server that was told to let another write.
 */
const PASSING = /^(08|53|57P|55P03|25P03|25006)/;

/** What the caller is told when a statement failed: that the database is away, when that is why. */
export function translateError(error: unknown): unknown {
  // Answers of the server have a code of its own; what else fails is the way to it, unless it is a fault in this code.
  const isPassing = error instanceof pg.DatabaseError ? PASSING.test(error.code ?? "") : !isOurs(error);
  if (!isPassing) return error;
  return new SealbookError("journal_unavailable", "the database does not answer", {
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
