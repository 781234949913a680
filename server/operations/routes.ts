import { type Request, type Response, Router } from "express";
import { sendJson } from "../http/json-response.ts";
import { parseInput } from "../http/errors.ts";
import { onlyMethods } from "../http/only-methods.ts";
import type { Alert, AlertStore } from "./alert.ts";
import type * as responses from "./responses.ts";
import { AlertsQuery } from "./schemas.ts";

/** Dependencies of the operations routes. */
export interface OperationsRouteDeps {
  readonly alerts: Pick<AlertStore, "list">;
  readonly status: () => Promise<responses.Status>;
}

/** Status and alerts, below `/api/v1`. */
export function operationsRouter({ alerts, status }: OperationsRouteDeps): Router {
  const router = Router();
  router
    .route("/alerts")
    .get(async (request: Request, response: Response) => {
      const { limit } = parseInput(AlertsQuery, request.query, "query");
      sendJson(response, { alerts: (await alerts.list(limit)).map(toAlert) } satisfies responses.Alerts);
    })
    .all(onlyMethods("GET"));

  router
    .route("/status")
    .get(async (_request, response) => {
      sendJson(response, await status());
    })
    .all(onlyMethods("GET"));

  return router;
}

function toAlert({ kind, subject, message, earlier, raisedAt, resolvedAt }: Alert): responses.Alert {
  return {
    alert: kind,
    state: resolvedAt === undefined ? "raised" : "resolved",
    ...(subject === "" ? {} : { subject }),
    message,
    earlier: earlier.map(({ message: text, until }) => ({ message: text, until: Math.floor(until / 1000) })),
    raised_at: Math.floor(raisedAt / 1000),
    resolved_at: resolvedAt === undefined ? null : Math.floor(resolvedAt / 1000),
  };
}
