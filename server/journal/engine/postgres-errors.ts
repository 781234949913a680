import { isAbortedTransactionError } from "kysely";
import pg from "pg";
import { SealbookError } from "../../errors.ts";
import { notLeader } from "../leader/not-leader.ts";

const RETRY_SECONDS = 5;
/**
 * Classes and codes of transient errors: lost connections, too few resources, a server that starts or stops, a lock
 * time-out, a terminated session, and a server that became read-only.
 */
const PASSING = /^(08|53|57P|55P03|25P03|25006)/;

/** Code of the error that a leader's transaction begins with when another relayer has led since. */
const DIVISION_BY_ZERO = "22012";

/** Returns whether an error says that another relayer has led since. */
export function isFenced(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === DIVISION_BY_ZERO;
}

/** Translates a transient error to `journal_unavailable`, or `not_leader`; returns others as they are. */
export function translateError(error: unknown): unknown {
  if (isFenced(error)) return notLeader(error);
  // Errors of the server have a code; others are connection errors, except faults in this code.
  const isPassing = error instanceof pg.DatabaseError ? PASSING.test(error.code ?? "") : !isOurs(error);
  if (!isPassing) return error;
  return new SealbookError("journal_unavailable", "the database does not respond", {
    cause: error,
    retryAfterSeconds: RETRY_SECONDS,
  });
}

/** Classes and codes of errors that say nothing about a commit: lost connections, and a server that stops. */
const UNANSWERED = /^(08|57P)/;

/** Returns the error of a commit, given its translated error: without a response it may have been made. */
export function commitError(error: unknown): unknown {
  if (!(error instanceof SealbookError && error.code === "journal_unavailable")) return error;
  const { cause } = error;
  if (cause instanceof pg.DatabaseError && !UNANSWERED.test(cause.code ?? "")) return error;
  if (isAbortedTransactionError(cause)) return error;
  const message =
    "the database was lost before it responded to a commit: whether the call had an effect is not known. Repeat it " +
    "with the same Idempotency-Key";
  return new SealbookError("outcome_unknown", message, { cause: error, retryAfterSeconds: RETRY_SECONDS });
}

function isOurs(error: unknown): boolean {
  return (
    error instanceof SealbookError ||
    error instanceof RangeError ||
    error instanceof TypeError ||
    !(error instanceof Error)
  );
}
