import { signal } from "@preact/signals";
import { ClientError } from "../../../client/errors.ts";
import { ProofClient } from "../../../client/proofs.ts";

/** The credential of the user: an API key, or a token. Stored only while the page is open. */
export const access = signal("");
/** Whether the server requires credentials. */
export const isAccessNeeded = signal(false);

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Short, because users wait: an error is shown, and can be retried. */
const RETRY_FOR_MILLISECONDS = 3_000;

/** The headers with the entered credentials. */
export function accessHeaders(): Readonly<Record<string, string>> {
  const shown = access.value.trim();
  if (shown === "") return {};
  return JWT.test(shown) ? { Authorization: `Bearer ${shown}` } : { "X-API-Key": shown };
}

/** Creates a client of the integrity-proof API with the entered credentials. */
export function proofClient(retryForMilliseconds = RETRY_FOR_MILLISECONDS): ProofClient {
  return new ProofClient(location.origin, {
    headers: accessHeaders(),
    credentials: "omit",
    retryForMilliseconds,
  });
}

/** Forgets the credentials. */
export function forgetAccess(): void {
  access.value = "";
  isAccessNeeded.value = false;
}

/** Shows the field for credentials when the server requires them. */
export function noteUnauthorized(error: unknown): void {
  if (error instanceof ClientError && error.code === "unauthorized") isAccessNeeded.value = true;
}
