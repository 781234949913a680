import { ClientError } from "../../../client/errors.ts";
import { texts } from "../texts/texts.ts";

/** Returns whether the server requires credentials. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof ClientError && error.code === "unauthorized";
}

/** Text and remedy of a failure. */
export function failureText(error: unknown): { readonly title: string; readonly help: string } {
  const { failures } = texts.value.explorer;
  if (!(error instanceof ClientError))
    return { title: failures.other, help: error instanceof Error ? error.message : String(error) };
  switch (error.code) {
    case "chain_unavailable":
      return { title: failures.chainUnavailable, help: failures.chainUnavailableHelp };
    case "unreachable":
    case "timeout":
      return { title: failures.serverUnreachable, help: failures.serverUnreachableHelp };
    case "unauthorized":
      return { title: failures.unauthorized, help: failures.unauthorizedHelp };
    case "forbidden":
      return { title: failures.forbidden, help: failures.forbiddenHelp };
    case "too_many_requests":
      return { title: failures.tooMany, help: failures.tooManyHelp(error.retryAfterSeconds ?? 1) };
    default:
      return { title: failures.other, help: error.message };
  }
}
