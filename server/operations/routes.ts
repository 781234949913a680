import { serve, type ServedRoute, serveRaw } from "../http/serve.ts";
import type { Alert, AlertStore } from "./alert.ts";
import { listAlerts, live, metrics, ready, status } from "./api.ts";
import type { Metrics } from "./metrics.ts";
import type * as responses from "./responses.ts";

/** Dependencies of the operations routes. */
export interface OperationsRouteDeps {
  readonly alerts: Pick<AlertStore, "list">;
  readonly status: () => Promise<responses.Status>;
  /**
   * Returns which relayer leads, and whether the chain's node responds.
   * @throws SealbookError while no requests can be served
   */
  readonly ready: () => Promise<responses.Leadership & { readonly node_responds: boolean }>;
  readonly metrics: Metrics;
}

/** Status and alerts. */
export function operationsRoutes(deps: OperationsRouteDeps): ServedRoute[] {
  return [
    serve(listAlerts)(async ({ query: { limit } }) => ({ alerts: (await deps.alerts.list(limit)).map(toAlert) })),
    serve(status)(() => deps.status()),
  ];
}

/** Liveness and readiness, for everybody. */
export function healthRoutes({ ready: readiness }: OperationsRouteDeps): ServedRoute[] {
  return [
    serve(live)(() => Promise.resolve({ status: "ok" })),
    serve(ready)(async () => ({ status: "ok", ...(await readiness()) })),
  ];
}

export function metricsRoute({ metrics: { registry } }: OperationsRouteDeps): ServedRoute {
  return serveRaw(metrics)(async (_input, _request, response) => {
    response.type(registry.contentType).send(await registry.metrics());
  });
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
