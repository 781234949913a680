import { z } from "zod";
import { Address, ChainHash, Hash, Metadata, seconds, whole } from "./primitives.ts";

const next = z.string().optional().meta({ description: "The cursor of the next page; missing on the last one." });

/** A failure by RFC 9457. */
export const Problem = z
  .object({
    type: z.string().regex(/^urn:sealbook:problem:[a-z_]+$/).meta({ description: "Names the kind of failure; it does not change." }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: "What went wrong, for people." }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "Every fault in what was sent, by the place where it is." }),
  })
  .meta({ id: "Problem", description: "A failure by RFC 9457." });

const document = {
  id: Hash,
  document_id: z.string(),
  hash: Hash,
  record_hash: Hash.meta({ description: "SHA-256 over document id, timestamp, type and hash: what is anchored." }),
  metadata: Metadata,
};

const onChain = {
  tx_hash: ChainHash,
  block_number: whole,
  block_hash: ChainHash,
  timestamp: seconds("The block's time"),
  validator: z.string().meta({ description: "Who proposed the block: a configured name, or an address." }),
};

const ConfirmedProof = z
  .object({
    status: z.literal("confirmed"),
    id: Hash,
    proof: z.object({
      ...document,
      chain_id: whole,
      contract: Address,
      ...onChain,
      merkle: z
        .object({ root: ChainHash, leaf: ChainHash, index: whole, path: z.array(ChainHash) })
        .optional()
        .meta({ description: "Leads from the recorded hash to the root that was anchored, when it was one of many." }),
    }),
    verification_url: z.string(),
  })
  .meta({ id: "ConfirmedProof", description: "The proof of a document that is on chain." });

const PendingProof = z
  .object({ status: z.literal("pending"), ...document, reason: z.string().optional().meta({ description: "Why it was set aside; it is tried again." }) })
  .meta({ id: "PendingProof", description: "A document that was accepted and will be on chain." });

/** `POST /api/v1/proof` */
export const ProofAnswer = z.discriminatedUnion("status", [ConfirmedProof, PendingProof]).meta({ id: "ProofAnswer" });

const history = { history: z.array(ProofAnswer).optional().meta({ description: "Older proofs, the newest first." }) };

/** `GET /api/v1/proof/{id}` */
export const FoundProof = z
  .discriminatedUnion("status", [
    z.object({ ...ConfirmedProof.shape, ...history }),
    z.object({ ...PendingProof.shape, ...history }),
  ])
  .meta({ id: "FoundProof", description: "The newest proof that was found, with the older ones." });

const Batch = z.object({
  id: Hash,
  root: ChainHash,
  size: z.int().positive(),
  ...z.object(onChain).partial().shape,
});

/** `POST /api/v1/proof/batch` */
export const BatchAnswer = z
  .object({
    status: z.enum(["confirmed", "pending"]),
    batch: Batch.nullable().meta({ description: "`null` when all of the documents were known and share no transaction." }),
    proofs: z.array(ProofAnswer),
  })
  .meta({ id: "BatchAnswer", description: "Documents that were sent together, in the order in which they were sent." });

/** `GET /api/v1/proof/batch/{id}` */
export const BatchPage = z
  .object({ status: z.enum(["confirmed", "pending"]), batch: Batch, proofs: z.array(ProofAnswer), next })
  .meta({ id: "BatchPage", description: "A page of the proofs that one transaction anchored." });

/** `GET` and `POST /api/v1/verify` */
export const Verification = z
  .union([
    z.object({
      valid: z.literal(true),
      proof: z
        .object({ tx_hash: ChainHash, block_number: whole, timestamp: onChain.timestamp })
        .optional()
        .meta({ description: "Missing while it is not on chain." }),
    }),
    z.object({ valid: z.literal(false), message: z.string() }),
  ])
  .meta({ id: "Verification", description: "Whether a hash has a proof." });

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
  .meta({ id: "Alerts", description: "Alerts that last, and the newest of those that are over; the newest change first." });

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
  pace: z.enum(["on_time", "slow", "stalled"]).meta({ description: "Whether blocks come: `slow` while changes of the proposer explain the wait." }),
  block_period: z.number().nullable().meta({ description: "Seconds, as the blocks show." }),
  request_timeout: z.number().nullable().meta({ description: "Seconds for which a proposer is waited, as the blocks show; it doubles with each round." }),
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
      peers_listed: whole.optional().meta({ description: "How many peers the list of the network's nodes gives the node." }),
      peers_missing: z.array(z.string()).optional(),
      peers_unlisted: z.array(z.string()).optional(),
      addresses: z.array(NodeAddress).optional().meta({ description: "With several addresses in RPC_URL, how each does." }),
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
  .meta({ id: "Status", description: "The state of the server and of its chain; `null` stands for what the node did not tell." });

/** Where and when something was recorded. */
const recorded = { id: Hash, recorded_at: seconds("The block's time"), tx_hash: ChainHash, block_number: whole };
const row = { document_id: z.string(), hash: Hash };

/** A restored document, compared. */
export const ComparedDocument = z
  .discriminatedUnion("result", [
    z.object({ ...row, result: z.literal("match"), ...recorded }),
    z.object({
      ...row,
      result: z.literal("mismatch"),
      recorded_hash: Hash,
      ...recorded,
      earlier: z.object(recorded).optional().meta({ description: "The older record that has the restored content." }),
    }),
    z.object({
      ...row,
      result: z.literal("unrecorded"),
      reason: z.string().optional(),
      recorded_as: z.array(z.string()).optional().meta({ description: "Other documents that were recorded with this content." }),
    }),
  ])
  .meta({ id: "ComparedDocument", description: "A restored document, compared with what was recorded of it." });

const asOf = { as_of: whole.nullable().meta({ description: "The moment that was asked for, in Unix seconds; `null` for now." }) };
const summary = {
  verification_id: z.uuid(),
  ...asOf,
  finished_at: whole,
  totals: z.object({ documents: whole, match: whole, mismatch: whole, unrecorded: whole }),
  rows_root: Hash.meta({ description: "Merkle root over the rows as they were told." }),
};

/** `POST /api/v1/recovery/verify` with a JSON body. */
export const Comparison = z
  .object({ ...summary, documents: z.array(ComparedDocument) })
  .meta({ id: "Comparison", description: "Restored documents, compared with what was recorded." });

/** A line of the answer to an NDJSON body. */
export const ComparisonLine = z
  .union([ComparedDocument, z.object(summary), z.object({ error: Problem })])
  .meta({ id: "ComparisonLine", description: "A row; in the last line the totals, or why there are no more rows." });

/** A recorded document. */
export const RecordedDocument = z
  .object({ ...row, metadata: Metadata, ...recorded, fault: z.string().optional().meta({ description: "How the chain contradicts it." }) })
  .meta({ id: "RecordedDocument", description: "A document with what was recorded of it last." });

/** `GET /api/v1/recovery/inventory` */
export const Inventory = z
  .object({ ...asOf, documents: z.array(RecordedDocument), next })
  .meta({ id: "Inventory", description: "The documents that were on chain at a time." });

/** An anchor that the journal lacks. */
export const UnknownAnchor = z
  .object({ hash: Hash, size: whole, tx_hash: ChainHash, block_number: whole })
  .meta({ id: "UnknownAnchor", description: "An anchor on chain that the journal lacks." });

/** `GET /api/v1/recovery/gap` */
export const Gap = z
  .discriminatedUnion("against", [
    z.object({ against: z.literal("restored"), verification_id: z.uuid(), ...asOf, documents: z.array(RecordedDocument), next }),
    z.object({ against: z.literal("journal"), anchors: z.array(UnknownAnchor), next }),
  ])
  .meta({ id: "Gap", description: "What was recorded and did not come back, or what the chain has and the journal lacks." });
