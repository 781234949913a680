import { z } from "zod";
import { Address, whole } from "../http/openapi/primitives.ts";

/** `GET /api/v1/alerts` */
export const Alerts = z
  .object({
    alerts: z.array(
      z.object({
        alert: z.enum(["node_down", "sync_lost", "degraded_performance", "journal_divergence"]),
        state: z.enum(["raised", "resolved"]),
        subject: z.string().optional(),
        message: z.string(),
        raised_at: whole,
        resolved_at: whole.nullable(),
      }),
    ),
  })
  .meta({
    id: "Alerts",
    description: "Alerts that last, and the newest of those that are over; the newest change first.",
  });

/** One of several addresses at which nodes are asked. */
const NodeAddress = z.object({
  address: z.string(),
  active: z.boolean().meta({ description: "Whether calls go there." }),
  reachable: z.boolean(),
  block_number: whole.nullable(),
  reason: z.string().nullable().meta({ description: "Why it is not used." }),
});

/** What a network tells whose validators seal its blocks. */
const Bft = z.object({
  round: whole.meta({ description: "How often the validators had to try again for the newest block." }),
  pace: z
    .enum(["on_time", "slow", "stalled"])
    .meta({ description: "Whether blocks come: `slow` while changes of the proposer explain the wait." }),
  block_period: z.number().nullable().meta({ description: "Seconds, as the blocks show." }),
  request_timeout: z
    .number()
    .nullable()
    .meta({ description: "Seconds for which a proposer is waited, as the blocks show; it doubles with each round." }),
  missing: z.array(z.string()).meta({ description: "Validators that take no part." }),
  quorum_missing: whole.meta({ description: "How many more would have to take part for blocks to come." }),
  participation: z.array(
    z.object({
      validator: z.string(),
      state: z.enum(["active", "silent", "absent"]),
      proposed: whole.meta({ description: "Among the newest blocks." }),
      last_proposed: whole.nullable(),
      last_sealed: whole.nullable(),
      missed_turns: whole,
    }),
  ),
});

/** `GET /api/v1/status` */
export const Status = z
  .object({
    status: z.enum(["ok", "degraded", "down"]),
    version: z.string(),
    uptime: whole.meta({ description: "Seconds since the start." }),
    node: z.object({
      client: z.string().nullable(),
      chain_id: whole,
      block_number: whole.nullable(),
      block_age: whole.nullable().meta({ description: "Seconds since the newest block." }),
      syncing: z.boolean().nullable(),
      peers: whole.nullable(),
      peers_listed: whole
        .optional()
        .meta({ description: "How many peers the list of the network's nodes gives the node." }),
      peers_missing: z.array(z.string()).optional(),
      peers_unlisted: z.array(z.string()).optional(),
      addresses: z
        .array(NodeAddress)
        .optional()
        .meta({ description: "With several addresses in RPC_URL, how each does." }),
    }),
    consensus: z.object({
      protocol: z.string().nullable(),
      validators: z.array(z.string()),
      quorum: whole.nullable(),
      proposer: z.string().nullable(),
      ...Bft.partial().shape,
    }),
    journal: z.object({
      records: whole,
      pending: whole,
      last_reconciled: whole.nullable(),
      divergences: whole,
      replica_lag: z.number().nullable(),
    }),
    relayer: z.object({ address: Address, balance: z.string().regex(/^\d+$/).nullable(), in_flight: whole }),
  })
  .meta({
    id: "Status",
    description: "The state of the server and of its chain; `null` stands for what the node did not tell.",
  });
