import { ClientError, Problem } from "./errors.ts";
import { type HttpResponse, retryAfterSeconds } from "./http.ts";

const PREFIX = "urn:sealbook:problem:";

/** Converts an error response to an error. */
export function toClientError({ status, headers, body }: HttpResponse): ClientError {
  const parsed = Problem.safeParse(body);
  const problem = parsed.success ? parsed.data : undefined;
  const code = problem?.type.startsWith(PREFIX) ? problem.type.slice(PREFIX.length) : "unexpected_response";
  return new ClientError(code, problem?.detail ?? problem?.title ?? `the server responded with status ${status}`, {
    status,
    problem,
    details: problem?.errors,
    retryAfterSeconds: retryAfterSeconds(headers),
  });
}
