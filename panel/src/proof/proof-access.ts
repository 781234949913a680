import { signal } from "@preact/signals";
import { ClientError } from "../../../client/errors.ts";
import { ProofClient } from "../../../client/proofs.ts";

/** What shows who asks: an API key, or a token. Kept for as long as the page is open, and nowhere else. */
export const access = signal("");
/** Whether the server has asked for it. */
export const isAccessNeeded = signal(false);

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** People wait: what fails is shown, and can be tried again. */
const RETRY_FOR_MILLISECONDS = 3_000;

/** Asks the integrity-proof API with what was entered. */
export function proofClient(): ProofClient {
  const shown = access.value.trim();
  const headers: Record<string, string> =
    shown === "" ? {} : JWT.test(shown) ? { Authorization: `Bearer ${shown}` } : { "X-API-Key": shown };
  return new ProofClient(location.origin, {
    headers,
    credentials: "omit",
    retryForMilliseconds: RETRY_FOR_MILLISECONDS,
  });
}

/** Has the reader asked for a key when the server wants one. */
export function noteRefusal(error: unknown): void {
  if (error instanceof ClientError && error.code === "unauthorized") isAccessNeeded.value = true;
}
