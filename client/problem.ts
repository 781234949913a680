import { ClientError, Problem } from "./errors.ts";
import { type HttpAnswer, retryAfterSeconds } from "./http.ts";

const PREFIX = "urn:sealbook:problem:";

/** The failure that an answer tells by RFC 9457. */
export function problemIn({ status, headers, body }: HttpAnswer): ClientError {
  const parsed = Problem.safeParse(body);
  const problem = parsed.success ? parsed.data : undefined;
  const code = problem?.type.startsWith(PREFIX) ? problem.type.slice(PREFIX.length) : "unexpected_answer";
  return new ClientError(code, problem?.detail ?? problem?.title ?? `the server answered with status ${status}`, {
    status,
    problem,
    details: problem?.errors,
    retryAfterSeconds: retryAfterSeconds(headers),
  });
}
