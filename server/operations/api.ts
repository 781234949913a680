import * as z from "zod";
import { pageLimit } from "../http/fields.ts";
import { defineRoute } from "../http/route.ts";
import { Alerts, Leadership, Status } from "./responses.ts";

const TAG = "Operation";
const MAX_ALERTS = 1_000;
const DEFAULT_ALERTS = 100;

export const listAlerts = defineRoute({
  id: "listAlerts",
  method: "get",
  path: "/api/v1/alerts",
  tag: TAG,
  summary: "List alerts",
  description: "Lists the raised alerts and the newest resolved ones, by their last change.",
  query: z.object({ limit: pageLimit(MAX_ALERTS, DEFAULT_ALERTS) }),
  result: Alerts,
  statuses: { 200: "The alerts." },
});

export const status = defineRoute({
  id: "status",
  method: "get",
  path: "/api/v1/status",
  tag: TAG,
  summary: "Status of the server and its chain",
  description: "Returns `ok`, `degraded` or `down` and the figures behind it.",
  result: Status,
  statuses: { 200: "The status." },
});

const Health = z.object({ status: z.literal("ok") }).meta({ id: "Health" });
const Readiness = z
  .object({
    ...Health.shape,
    ...Leadership.shape,
    node_responds: z.boolean().meta({ description: "Whether the node of the chain responds." }),
  })
  .meta({ id: "Readiness" });

export const live = defineRoute({
  id: "live",
  method: "get",
  path: "/livez",
  tag: TAG,
  summary: "Liveness",
  description: "Liveness: the process responds.",
  isPublic: true,
  result: Health,
  statuses: { 200: "The process responds." },
});

export const ready = defineRoute({
  id: "ready",
  method: "get",
  path: "/readyz",
  tag: TAG,
  summary: "Readiness",
  description:
    "Readiness: the journal is available. The server accepts requests while the chain is unavailable, and forwards " +
    "what writes when another relayer leads.",
  isPublic: true,
  result: Readiness,
  statuses: { 200: "The server accepts requests." },
  errors: [503],
});

export const metrics = defineRoute({
  id: "metrics",
  method: "get",
  path: "/metrics",
  tag: TAG,
  summary: "Metrics",
  description:
    "Metrics in the Prometheus text format, for the source networks and the credentials of the integrity-proof API.",
  media: { "text/plain": z.string() },
  statuses: { 200: "The metrics." },
});

/** Status, alerts, health and metrics. */
export const OPERATIONS_ROUTES = [listAlerts, status, live, ready, metrics];
