import { isConfirmed } from "./answers.ts";
import { closedLoop, type ClosedLoop, type ClosedLoopFigures } from "./closed-loop.ts";
import { Documents } from "./documents.ts";

type Choice = Pick<ClosedLoop, "label" | "clients" | "warmUpSeconds" | "seconds"> &
  Partial<Pick<ClosedLoop, "onAnswer" | "signal">>;

/** Clients that post one document at a time, to a server or to what it is compared with. */
export function postSingles(url: string, choice: Choice): Promise<ClosedLoopFigures> {
  const documents = new Documents();
  const next = () => ({ path: "/api/v1/proof", body: documents.single() });
  return closedLoop({ url, method: "POST", expected: 201, check: isConfirmed, next, ...choice });
}

/** Clients that post `size` documents at a time; the figures are of posts, not of documents. */
export function postBulks(url: string, size: number, choice: Choice): Promise<ClosedLoopFigures> {
  const documents = new Documents();
  const next = () => ({ path: "/api/v1/proof/batch", body: documents.bulk(size) });
  return closedLoop({ url, method: "POST", expected: 201, check: isConfirmed, next, ...choice });
}
