import { z } from "zod";
import { Problem } from "../http/responses.ts";
import { exampleResponse } from "../http/openapi/examples.ts";
import { Alerts, Status } from "./responses.ts";
import { AlertsQuery } from "./schemas.ts";
import { errorResponses, ALLOWED, JSON_TYPE, type Operation, PROBLEM_TYPE } from "../http/openapi/operation.ts";

/** On a chain without fees. */
const RELAYER = {
  address: "0x5AA5B164215A310E59463e97b68264b00ae9AFE4",
  balance: "0",
  fee: { kind: "legacy", max: "0", tip: "0", base_fee: "0", limit: "200000000000" },
  in_flight: 0,
} as const;

const TAG = "Operation";
const METRICS_TYPE = "text/plain";
const Health = z.object({ status: z.literal("ok") }).meta({ id: "Health" });
const Described = z
  .looseObject({
    openapi: z.string().regex(/^3\.1\.\d+$/),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "OpenApi", description: "An OpenAPI document." });
const methodNotAllowed = {
  status: 405,
  description: "The path supports GET only.",
  content: { [PROBLEM_TYPE]: Problem },
  headers: ALLOWED,
};
const ok = { name: "ok", summary: "Normal operation", response: exampleResponse({ status: "ok" }) };

const found = (schema: z.ZodType, description: string) => ({
  status: 200,
  description,
  content: { [JSON_TYPE]: schema },
});
/** The status on a network of validators. */
const ON_NETWORK = {
  status: "ok",
  version: "0.1.0",
  uptime: 86_400,
  node: {
    client: "besu/v25.8.0/linux-x86_64/openjdk-java-21",
    chain_id: 1337,
    block_number: 17_280,
    clock_skew: 0,
    block_age: 3,
    syncing: false,
    peers: 2,
    peers_listed: 3,
    peers_missing: ["data centre 4"],
    peers_unlisted: [],
    addresses: [
      {
        address: "https://node1.example:8545",
        active: false,
        reachable: false,
        block_number: 17_201,
        reason: "the node's certificate has expired",
      },
      { address: "https://node2.example:8545", active: true, reachable: true, block_number: 17_280, reason: null },
    ],
  },
  consensus: {
    protocol: "QBFT",
    validators: ["data centre 1", "data centre 2", "data centre 3", "data centre 4"],
    quorum: 3,
    proposer: "data centre 1",
    round: 1,
    pace: "on_time",
    block_period: 5,
    request_timeout: 10,
    missing: ["data centre 4"],
    quorum_missing: 0,
    participation: [
      {
        validator: "data centre 1",
        state: "active",
        proposed: 11,
        last_proposed: 17_280,
        last_commit_seal: 17_280,
        missed_proposals: 0,
      },
      {
        validator: "data centre 2",
        state: "active",
        proposed: 10,
        last_proposed: 17_278,
        last_commit_seal: 17_280,
        missed_proposals: 0,
      },
      {
        validator: "data centre 3",
        state: "active",
        proposed: 11,
        last_proposed: 17_279,
        last_commit_seal: 17_280,
        missed_proposals: 0,
      },
      {
        validator: "data centre 4",
        state: "missing",
        proposed: 0,
        last_proposed: 17_190,
        last_commit_seal: null,
        missed_proposals: 11,
      },
    ],
  },
  journal: {
    records: 4,
    pending: 0,
    writable: true,
    storage_fault: null,
    free_bytes: 412_316_860_416,
    last_reconciled: 1_795_291_651,
    divergences: 0,
    replica_lag: null,
  },
  relayer: RELAYER,
  problems: [],
};

/** Health, metrics and alerts. */
export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    id: "listAlerts",
    method: "get",
    path: "/api/v1/alerts",
    tag: "Operation",
    summary: "List alerts",
    description: "Lists the raised alerts and the newest resolved ones, by their last change.",
    isGuarded: true,
    parameters: { query: AlertsQuery },
    responses: [found(Alerts, "The alerts."), ...errorResponses(400)],
    examples: [
      {
        name: "newest",
        summary: "The newest alert",
        query: { limit: 1 },
        response: exampleResponse({
          alerts: [
            {
              alert: "node_down",
              state: "resolved",
              message: "the chain's node does not respond",
              earlier: [],
              raised_at: 1_795_291_000,
              resolved_at: 1_795_291_060,
            },
          ],
        }),
      },
    ],
  },
  {
    id: "status",
    method: "get",
    path: "/api/v1/status",
    tag: "Operation",
    summary: "Status of the server and its chain",
    description: "Returns `ok`, `degraded` or `down` and the figures behind it.",
    isGuarded: true,
    responses: [found(Status, "The status."), ...errorResponses()],
    examples: [
      {
        name: "ok",
        summary: "Normal operation",
        response: exampleResponse({
          status: "ok",
          version: "0.1.0",
          uptime: 86_400,
          node: {
            client: "anvil/v1.7.1",
            chain_id: 7325,
            block_number: 12,
            clock_skew: 0,
            block_age: 1,
            syncing: false,
            peers: 0,
          },
          consensus: { protocol: "none", validators: [], quorum: 0, proposer: "embedded" },
          journal: {
            records: 4,
            pending: 0,
            writable: true,
            storage_fault: null,
            free_bytes: 412_316_860_416,
            last_reconciled: 1_795_291_651,
            divergences: 0,
            replica_lag: null,
          },
          relayer: RELAYER,
          problems: [],
        }),
      },
      {
        name: "validators",
        summary: "Four validators, one of them down, behind two nodes",
        response: exampleResponse(ON_NETWORK),
      },
    ],
  },
  {
    id: "live",
    method: "get",
    path: "/livez",
    tag: TAG,
    summary: "Liveness",
    description: "Liveness: the process responds.",
    isGuarded: false,
    responses: [
      { status: 200, description: "The process responds.", content: { [JSON_TYPE]: Health } },
      methodNotAllowed,
    ],
    examples: [ok],
  },
  {
    id: "ready",
    method: "get",
    path: "/readyz",
    tag: TAG,
    summary: "Readiness",
    description: "Readiness: the journal is available. The server accepts requests while the chain is unavailable.",
    isGuarded: false,
    responses: [
      { status: 200, description: "The server accepts requests.", content: { [JSON_TYPE]: Health } },
      methodNotAllowed,
      {
        status: 503,
        description: "The journal cannot be read.",
        content: { [PROBLEM_TYPE]: Problem },
        headers: { "Retry-After": "Seconds until the next attempt." },
      },
    ],
    examples: [ok],
  },
  {
    id: "metrics",
    method: "get",
    path: "/metrics",
    tag: TAG,
    summary: "Metrics",
    description:
      "Metrics in the Prometheus text format, for the source networks and the credentials of the integrity-proof API.",
    isGuarded: true,
    responses: [
      { status: 200, description: "The metrics.", content: { [METRICS_TYPE]: z.string() } },
      {
        status: 401,
        description: "A valid API key or token is required.",
        content: { [PROBLEM_TYPE]: Problem },
      },
      {
        status: 403,
        description: "The source network does not permit the request.",
        content: { [PROBLEM_TYPE]: Problem },
      },
      methodNotAllowed,
    ],
    examples: [
      {
        name: "metrics",
        summary: "The first lines",
        response: exampleResponse(
          "# HELP process_open_fds Number of open file descriptors.\n# TYPE process_open_fds " +
            "gauge\nprocess_open_fds 31\n",
          200,
          METRICS_TYPE,
        ),
      },
    ],
  },
  {
    id: "document",
    method: "get",
    path: "/openapi.json",
    tag: TAG,
    summary: "OpenAPI document",
    description: "Returns this document.",
    isGuarded: false,
    responses: [
      {
        status: 200,
        description: "An OpenAPI document.",
        content: { [JSON_TYPE]: Described },
        headers: { ETag: "Identifies the version of the document." },
      },
      methodNotAllowed,
    ],
    examples: [
      {
        name: "document",
        summary: "An empty document",
        response: exampleResponse({
          openapi: "3.1.1",
          info: { title: "Sealbook", version: "0.1.0" },
          servers: [],
          tags: [],
          paths: {},
          components: {},
        }),
      },
    ],
  },
];
