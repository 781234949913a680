import type { Answer } from "./operation.ts";
import { ALLOWED, PROBLEM_TYPE } from "./operation.ts";
import { Problem } from "../responses.ts";

const DESCRIPTIONS = {
  400: "What was sent is not valid.",
  401: "An API key or a token that is valid is needed.",
  403: "The caller's network, or what it presented, does not allow this.",
  404: "There is no such thing.",
  405: "The path answers other methods only.",
  406: "It is given in no media type that was asked for.",
  409: "The chain does not have it, or not yet.",
  413: "The body is too large.",
  415: "The body is of another media type.",
  503: "It cannot be done now; trying again later can succeed.",
} as const;

const HEADERS: Readonly<Partial<Record<number, Answer["headers"]>>> = {
  405: ALLOWED,
  503: { "Retry-After": "Seconds after which to try again." },
};

/** How requests are refused, by status; every guarded operation can be refused to its caller, and every path a method. */
export function refusals(...statuses: readonly (keyof typeof DESCRIPTIONS)[]): Answer[] {
  return ([...statuses, 401, 403, 405, 503] as const)
    .toSorted((a, b) => a - b)
    .map((status) => {
      const headers = HEADERS[status];
      return {
        status,
        description: DESCRIPTIONS[status],
        content: { [PROBLEM_TYPE]: Problem },
        ...(headers === undefined ? {} : { headers }),
      };
    });
}
