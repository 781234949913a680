import { SealbookError } from "../errors.ts";
import type { Texts } from "./texts/texts.ts";

/** Returns the user's text for an error; `undefined` for an internal error. */
export function errorText(error: unknown, texts: Texts): string | undefined {
  if (!(error instanceof SealbookError)) return undefined;
  switch (error.code) {
    case "malformed":
    case "too_large":
      return texts.malformed(error.message);
    case "chain_unavailable": {
      const late = error.details?.find(({ path }) => path === "chainid");
      return late === undefined ? texts.chainAway : texts.storedLate(late.message);
    }
    case "chain_reverted":
      return texts.chainRefused;
    case "scope_refused":
      return texts.revoked;
    case "too_many_requests":
      return texts.tooManyStored(error.retryAfterSeconds ?? 60);
    case "overloaded":
    case "journal_unavailable":
      return texts.busy;
    case "forbidden":
      return texts.noEnrolment;
    default:
      return undefined;
  }
}
