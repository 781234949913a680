import type { OperationResponse } from "./operation.ts";
import { ALLOWED, PROBLEM_TYPE } from "./operation.ts";
import { Problem } from "../responses.ts";

const DESCRIPTIONS = {
  400: "The request is not valid.",
  401: "A valid API key or token is required.",
  403: "The source network or the scope of the credentials does not permit the request.",
  404: "The resource does not exist.",
  405: "The path does not support this method.",
  406: "None of the accepted media types is available.",
  409: "The chain does not confirm the resource, or not yet.",
  413: "The request body is too large.",
  415: "The media type of the request body is not supported.",
  503: "The service is temporarily unavailable; retry later.",
} as const;

const HEADERS: Readonly<Partial<Record<number, OperationResponse["headers"]>>> = {
  405: ALLOWED,
  503: { "Retry-After": "Seconds until the next attempt." },
};

/** Returns the error responses by status. 401, 403, 405 and 503 apply to every guarded operation. */
export function errorResponses(...statuses: readonly (keyof typeof DESCRIPTIONS)[]): OperationResponse[] {
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
