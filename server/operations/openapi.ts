import { z } from "zod";
import { Problem } from "../http/responses.ts";
import { answered } from "../http/openapi/examples.ts";
import { refusals } from "../http/openapi/refusals.ts";
import { Alerts, Status } from "./responses.ts";
import { AlertsQuery } from "./schemas.ts";
import { ALLOWED, JSON_TYPE, type Operation, PROBLEM_TYPE } from "../http/openapi/operation.ts";

const TAG = "Operation";
const METRICS_TYPE = "text/plain";
const Alive = z.object({ status: z.literal("ok") }).meta({ id: "Alive" });
const Described = z
  .looseObject({
    openapi: z.string().regex(/^3\.1\.\d+$/),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "OpenApi", description: "An OpenAPI document." });
const other = {
  status: 405,
  description: "It is asked with GET only.",
  content: { [PROBLEM_TYPE]: Problem },
  headers: ALLOWED,
};
const ok = { name: "ok", summary: "All is well", answer: answered({ status: "ok" }) };

const found = (schema: z.ZodType, description: string) => ({
  status: 200,
  description,
  content: { [JSON_TYPE]: schema },
});
/** What the status tells in addition on a network of validators. */
const ON_NETWORK = {
  status: "ok",
  version: "0.1.0",
  uptime: 86_400,
  node: {
    client: "besu/v25.8.0/linux-x86_64/openjdk-java-21",
    chain_id: 1337,
    block_number: 17_280,
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
        last_sealed: 17_280,
        missed_turns: 0,
      },
      {
        validator: "data centre 2",
        state: "active",
        proposed: 10,
        last_proposed: 17_278,
        last_sealed: 17_280,
        missed_turns: 0,
      },
      {
        validator: "data centre 3",
        state: "active",
        proposed: 11,
        last_proposed: 17_279,
        last_sealed: 17_280,
        missed_turns: 0,
      },
      {
        validator: "data centre 4",
        state: "absent",
        proposed: 0,
        last_proposed: 17_190,
        last_sealed: null,
        missed_turns: 11,
      },
    ],
  },
  journal: { records: 4, pending: 0, last_reconciled: 1_795_291_651, divergences: 0, replica_lag: null },
  relayer: { address: "0x5AA5B164215A310E59463e97b68264b00ae9AFE4", balance: "0", in_flight: 0 },
};

/** What supervisors of the process ask. */
export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    id: "listAlerts",
    method: "get",
    path: "/api/v1/alerts",
    tag: "Operation",
    summary: "List alerts",
    description: "What is wrong, and what was.",
    isGuarded: true,
    parameters: { query: AlertsQuery },
    answers: [found(Alerts, "The alerts."), ...refusals(400)],
    examples: [
      {
        name: "newest",
        summary: "The newest one",
        query: { limit: 1 },
        answer: answered({
          alerts: [
            {
              alert: "node_down",
              state: "resolved",
              message: "the chain's node does not answer",
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
    summary: "Tell the state of the server and its chain",
    description: "`ok`, `degraded` or `down`, and the figures behind it.",
    isGuarded: true,
    answers: [found(Status, "The state."), ...refusals()],
    examples: [
      {
        name: "ok",
        summary: "All is well",
        answer: answered({
          status: "ok",
          version: "0.1.0",
          uptime: 86_400,
          node: { client: "anvil/v1.7.1", chain_id: 7325, block_number: 12, block_age: 1, syncing: false, peers: 0 },
          consensus: { protocol: "none", validators: [], quorum: 0, proposer: "embedded" },
          journal: { records: 4, pending: 0, last_reconciled: 1_795_291_651, divergences: 0, replica_lag: null },
          relayer: { address: "0x5AA5B164215A310E59463e97b68264b00ae9AFE4", balance: "0", in_flight: 0 },
        }),
      },
      {
        name: "validators",
        summary: "A network of four validators, one of which is missing, behind two nodes",
        answer: answered(ON_NETWORK),
      },
    ],
  },
  {
    id: "live",
    method: "get",
    path: "/livez",
    tag: TAG,
    summary: "Tell whether the process lives",
    description: "Alive is who answers.",
    isGuarded: false,
    answers: [{ status: 200, description: "It lives.", content: { [JSON_TYPE]: Alive } }, other],
    examples: [ok],
  },
  {
    id: "ready",
    method: "get",
    path: "/readyz",
    tag: TAG,
    summary: "Tell whether work can be taken",
    description: "Without a chain it is accepted, without a journal nothing is.",
    isGuarded: false,
    answers: [
      { status: 200, description: "It can.", content: { [JSON_TYPE]: Alive } },
      other,
      {
        status: 503,
        description: "The journal cannot be read.",
        content: { [PROBLEM_TYPE]: Problem },
        headers: { "Retry-After": "Seconds after which to ask again." },
      },
    ],
    examples: [ok],
  },
  {
    id: "metrics",
    method: "get",
    path: "/metrics",
    tag: TAG,
    summary: "Tell the metrics",
    description: "In the text format of Prometheus, for the networks that may use the integrity-proof API.",
    isGuarded: false,
    answers: [
      { status: 200, description: "The metrics.", content: { [METRICS_TYPE]: z.string() } },
      { status: 403, description: "The caller's network does not allow this.", content: { [PROBLEM_TYPE]: Problem } },
      other,
    ],
    examples: [
      {
        name: "metrics",
        summary: "The first lines",
        answer: answered(
          "# HELP process_open_fds Number of open file descriptors.\n# TYPE process_open_fds gauge\nprocess_open_fds 31\n",
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
    summary: "Describe everything that can be asked",
    description: "This document.",
    isGuarded: false,
    answers: [
      {
        status: 200,
        description: "An OpenAPI document.",
        content: { [JSON_TYPE]: Described },
        headers: { ETag: "Names what it says." },
      },
      other,
    ],
    examples: [
      {
        name: "document",
        summary: "With nothing in it",
        answer: answered({
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
