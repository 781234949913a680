import { z } from "zod";
import { ChainHash, Hash, Metadata, next, seconds, whole } from "../http/openapi/primitives.ts";
import { Problem } from "../http/openapi/problem.ts";

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
      recorded_as: z
        .array(z.string())
        .optional()
        .meta({ description: "Other documents that were recorded with this content." }),
    }),
  ])
  .meta({ id: "ComparedDocument", description: "A restored document, compared with what was recorded of it." });

const asOf = {
  as_of: whole.nullable().meta({ description: "The moment that was asked for, in Unix seconds; `null` for now." }),
};
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
  .object({
    ...row,
    metadata: Metadata,
    ...recorded,
    fault: z.string().optional().meta({ description: "How the chain contradicts it." }),
  })
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
    z.object({
      against: z.literal("restored"),
      verification_id: z.uuid(),
      ...asOf,
      documents: z.array(RecordedDocument),
      next,
    }),
    z.object({ against: z.literal("journal"), anchors: z.array(UnknownAnchor), next }),
  ])
  .meta({
    id: "Gap",
    description: "What was recorded and did not come back, or what the chain has and the journal lacks.",
  });
