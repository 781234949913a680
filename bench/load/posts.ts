import { randomUUID } from "node:crypto";
import { isConfirmed } from "./response-check.ts";
import { closedLoop, type ClosedLoop, type ClosedLoopFigures } from "./closed-loop.ts";
import { Documents } from "./documents.ts";

type Choice = Pick<ClosedLoop, "label" | "clients" | "warmUpSeconds" | "seconds"> &
  Partial<Pick<ClosedLoop, "onResponse" | "signal">>;

/**
 * Runs clients that post one document at a time, to Sealbook or to a baseline.
 * @param isKeyed Whether each post has an idempotency key
 */
export function postSingles(url: string, choice: Choice, isKeyed = false): Promise<ClosedLoopFigures> {
  const documents = new Documents();
  const next = () => ({
    path: "/api/v1/proof",
    body: documents.single(),
    headers: isKeyed ? { "idempotency-key": randomUUID() } : {},
  });
  return closedLoop({ url, method: "POST", expected: 201, check: isConfirmed, next, ...choice });
}

/** Runs clients that post `size` documents at a time; the figures count posts, not documents. */
export function postBulks(url: string, size: number, choice: Choice): Promise<ClosedLoopFigures> {
  const documents = new Documents();
  const next = () => ({ path: "/api/v1/proof/batch", body: documents.bulk(size) });
  return closedLoop({ url, method: "POST", expected: 201, check: isConfirmed, next, ...choice });
}
