import type { TransactionOutcome } from "../chain/transaction.ts";
import { SealbookError } from "../errors.ts";

/** Returns the error for a session's transaction that did not succeed. */
export function sessionError(outcome: TransactionOutcome): SealbookError {
  if (outcome.state !== "reverted") {
    return new SealbookError("chain_unavailable", "the chain did not confirm the session in time", {
      retryAfterSeconds: 5,
    });
  }
  switch (/^\w+/.exec(outcome.reason)?.[0]) {
    case "SessionExpired":
      return new SealbookError("token_expired", "the token has expired");
    case "SessionUnknown":
    case "SessionEnded":
      return new SealbookError("token_invalid", "the token was replaced or its session closed");
    case "SessionNotValidated":
    case "TooLateToExtend":
      return new SealbookError("extend_refused", "the chain refused the extension: " + outcome.reason);
    case "AccountNotEnrolled":
      return new SealbookError("login_refused", "the account was revoked");
    default:
      return new SealbookError("chain_reverted", `the chain refused the call: ${outcome.reason}`);
  }
}
