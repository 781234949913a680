import * as z from "zod";
import { Address, type ResponseOf, seconds, whole } from "../http/responses.ts";

/** Conditions that operators are alerted to. */
export const AlertKind = z.enum([
  "node_down",
  "wrong_chain",
  "sync_lost",
  "degraded_performance",
  "journal_divergence",
  "storage_failure",
  "clock_skew",
  "foreign_writes",
  "low_balance",
]);

export const Alert = z.object({
  alert: AlertKind,
  state: z.enum(["raised", "resolved"]),
  subject: z.string().optional(),
  message: z.string().meta({ description: "The current text; the last one of a resolved alert." }),
  earlier: z
    .array(z.object({ message: z.string(), until: seconds("The time at which another text replaced it") }))
    .meta({ description: "The texts before, oldest first: at most 20, without the shortest-lived of more." }),
  raised_at: seconds("The time of the alert"),
  resolved_at: whole.nullable(),
});

/** `GET /api/v1/alerts` */
export const Alerts = z
  .object({ alerts: z.array(Alert) })
  .meta({ id: "Alerts", description: "Raised alerts and the newest resolved ones, by their last change." });

/** A node of the chain, when RPC_URL lists several. */
const NodeAddress = z.object({
  address: z.string(),
  active: z.boolean().meta({ description: "Whether the server sends its calls there." }),
  reachable: z.boolean(),
  block_number: whole.nullable(),
  reason: z.string().nullable().meta({ description: "The reason for not using it." }),
});

const wei = z.string().regex(/^\d+$/);

/** The relayer's fee for a unit of gas. */
const Fee = z
  .object({
    kind: z.enum(["legacy", "eip1559"]),
    max: wei.meta({ description: "The most that the next transaction pays." }),
    tip: wei.meta({ description: "The most that it pays above the base fee; all of it for `legacy`." }),
    base_fee: wei.meta({ description: "The base fee of the next block; 0 on a chain without one." }),
    limit: wei.meta({ description: "The most that a replacement may pay." }),
  })
  .meta({ description: "The fee of the relayer's transactions, in wei for a unit of gas." });

/** Which relayer leads. */
export const Leadership = z
  .object({
    leads: z.boolean().meta({ description: "Whether this relayer writes the journal and sends transactions." }),
    relayer: z.string().nullable().meta({ description: "The id of this relayer, with `RELAYERS`." }),
    leader: z.string().nullable().meta({ description: "The id of the relayer that leads, or led last." }),
  })
  .meta({ id: "Leadership", description: "Which one of the relayers of a journal leads." });

/** `GET /api/v1/status` */
export const Status = z
  .object({
    status: z.enum(["ok", "degraded", "down"]),
    version: z.string(),
    uptime: whole.meta({ description: "Seconds since the start of the server." }),
    leadership: Leadership.nullable(),
    node: z.object({
      client: z.string().nullable(),
      chain_id: whole,
      block_number: whole.nullable(),
      clock_skew: whole
        .nullable()
        .meta({ description: "Seconds by which the newest block is ahead of the server's clock." }),
      block_age: whole.nullable().meta({ description: "Seconds since the newest block." }),
      syncing: z.boolean().nullable(),
      peers: whole.nullable(),
      peers_listed: whole.optional().meta({ description: "The number of peers in the network's list of nodes." }),
      peers_missing: z.array(z.string()).optional(),
      peers_unlisted: z.array(z.string()).optional(),
      addresses: z.array(NodeAddress).optional().meta({ description: "The nodes, when RPC_URL lists several." }),
    }),
    consensus: z.object({
      protocol: z.string().nullable(),
      validators: z.array(z.string()),
      quorum: whole.nullable(),
      proposer: z.string().nullable(),
    }),
    journal: z.object({
      records: whole.nullable(),
      pending: whole.nullable(),
      writable: z.boolean().meta({ description: "Whether the journal can be written." }),
      storage_fault: z
        .string()
        .nullable()
        .meta({ description: "The fault of the journal's files, its database or its disk." }),
      free_bytes: whole.nullable().meta({ description: "Free space on the disk of the journal." }),
      last_reconciled: whole.nullable(),
      divergences: whole.nullable(),
      replica_lag: z.number().nullable(),
    }),
    relayer: z.object({
      address: Address,
      balance: wei.nullable().meta({ description: "In wei." }),
      fee: Fee.nullable(),
      in_flight: whole.nullable(),
    }),
    problems: z
      .array(z.object({ part: z.string(), reason: z.string() }))
      .meta({ description: "Why the status is not `ok`, by its parts." }),
  })
  .meta({
    id: "Status",
    description: "The state of the server and its chain; `null` for values that cannot be read.",
  });

export type Leadership = ResponseOf<typeof Leadership>;
export type Alert = ResponseOf<typeof Alert>;
export type Alerts = ResponseOf<typeof Alerts>;
export type Status = ResponseOf<typeof Status>;
