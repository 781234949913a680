import { ClientError } from "../../../client/errors.ts";
import type { Texts } from "../texts/texts.ts";

/** An error text and its remedy. */
export interface Explanation {
  readonly title: string;
  readonly help: string;
  /** Input errors as reported by the server. */
  readonly details: readonly { readonly path: string; readonly message: string }[];
}

/** Converts an error to a text. */
export function explain(error: unknown, { errors }: Texts): Explanation {
  if (!(error instanceof ClientError)) return { title: errors.unknown, help: messageOf(error), details: [] };
  const { code, details, retryAfterSeconds: wait } = error;
  const common = { details };
  switch (code) {
    case "unreachable":
      return { title: errors.unreachable, help: errors.unreachableHelp, ...common };
    case "timeout":
      return { title: errors.timeout, help: errors.timeoutHelp, ...common };
    case "login_refused":
      return { title: errors.loginRejected, help: errors.loginRejectedHelp, ...common };
    case "token_invalid":
    case "token_expired":
      return { title: errors.sessionEnded, help: errors.sessionEndedHelp, ...common };
    case "scope_refused":
      return { title: errors.scopeMissing, help: errors.scopeMissingHelp, ...common };
    case "too_many_requests":
      return {
        title: errors.tooMany,
        help: wait === undefined ? errors.tooManyHelp : errors.tooManyHelpIn(wait),
        ...common,
      };
    case "chain_unavailable":
      return {
        title: errors.chainUnavailable,
        help: `${errors.chainUnavailableHelp} ${errors.serverMessage(error.message)}`,
        details: [],
      };
    case "chain_reverted":
      return { title: errors.chainReverted, help: error.message, ...common };
    case "malformed":
    case "too_large":
      return { title: errors.malformed, help: details.length === 0 ? error.message : errors.malformedHelp, ...common };
    default:
      return { title: errors.unknown, help: errors.serverMessage(error.message), ...common };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
