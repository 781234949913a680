import * as z from "zod";
import { ChainHash, Hash, Metadata, next, Problem, type ResponseOf, seconds, whole } from "../http/responses.ts";

/** The position of a record on the chain; the id is the recorded hash. */
const recorded = { id: Hash, recorded_at: seconds("The block's time"), tx_hash: ChainHash, block_number: whole };
const row = { document_id: z.string(), hash: Hash };

const EarlierRecord = z
  .object(recorded)
  .meta({ id: "EarlierRecord", description: "The older record of the restored content." });

/** A restored document, compared with its newest record. */
export const ComparedDocument = z
  .discriminatedUnion("result", [
    z.object({ ...row, result: z.literal("match"), ...recorded }).meta({ id: "MatchingDocument" }),
    z
      .object({
        ...row,
        result: z.literal("mismatch"),
        recorded_hash: Hash.meta({ description: "SHA-256 of the newest recorded content." }),
        ...recorded,
        earlier: EarlierRecord.optional(),
      })
      .meta({ id: "ChangedDocument" }),
    z
      .object({
        ...row,
        result: z.literal("unrecorded"),
        reason: z.string().optional(),
        recorded_as: z
          .array(z.string())
          .optional()
          .meta({ description: "Other documents with this recorded content." }),
      })
      .meta({ id: "UnrecordedDocument" }),
    z
      .object({
        ...row,
        result: z.literal("pending"),
        recorded_hash: Hash.meta({ description: "SHA-256 of the newest recorded content." }),
        id: recorded.id,
      })
      .meta({ id: "PendingDocument", description: "Its newest record has no anchor yet." }),
  ])
  .meta({ id: "ComparedDocument", description: "A restored document, compared with its newest record." });

const asOf = {
  as_of: whole.nullable().meta({ description: "The requested time in Unix seconds; `null` for the present." }),
};
const result = {
  ...asOf,
  finished_at: whole,
  totals: z
    .object({ documents: whole, match: whole, mismatch: whole, unrecorded: whole, pending: whole })
    .meta({ id: "Totals" }),
  rows_root: Hash.meta({ description: "Merkle root (RFC 6962) over the texts of the rows." }),
};
/** Totals of a comparison: the last line of an NDJSON response. */
export const RecoveryVerification = z
  .object({
    verification_id: z.uuid().nullable().meta({
      description:
        "`null` when the comparison is not kept: for a caller with the scope `read`, or with its quota used up.",
    }),
    ...result,
  })
  .meta({ id: "RecoveryVerification", description: "Totals of a comparison." });

/** `POST /api/v1/recovery/verify` with a JSON body. */
export const Comparison = z
  .object({ ...RecoveryVerification.shape, documents: z.array(ComparedDocument) })
  .meta({ id: "Comparison", description: "Restored documents, compared with their records." });

/** A line of an NDJSON response. */
export const ComparisonLine = z
  .union([ComparedDocument, RecoveryVerification, z.object({ error: Problem }).meta({ id: "ComparisonFailure" })])
  .meta({ id: "ComparisonLine", description: "A row; the last line has the totals or an error." });

/** A recorded document. */
export const RecordedDocument = z
  .object({
    ...row,
    metadata: Metadata,
    id: recorded.id,
    recorded_at: recorded.recorded_at.nullable().meta({ description: "`null` with a fault: it is not known." }),
    tx_hash: ChainHash.nullable(),
    block_number: whole.nullable(),
    fault: z.string().optional().meta({ description: "The contradiction between the chain and this record." }),
  })
  .meta({ id: "RecordedDocument", description: "A document with its newest record." });

/** `GET /api/v1/recovery/inventory` */
export const Inventory = z
  .object({ ...asOf, documents: z.array(RecordedDocument), next })
  .meta({ id: "Inventory", description: "The documents that were on chain at the requested time." });

/** An anchor on chain that is missing in the journal. */
export const UnknownAnchor = z
  .object({ hash: Hash, size: whole, tx_hash: ChainHash, block_number: whole })
  .meta({ id: "UnknownAnchor", description: "An anchor on chain that is missing in the journal." });

/** `GET /api/v1/recovery/gap` */
export const RestoredGap = z
  .object({ against: z.literal("restored"), verification_id: z.uuid(), ...result, ...Inventory.shape })
  .meta({ id: "RestoredGap", description: "Recorded documents missing from the restored data." });

/** `GET /api/v1/recovery/gap?against=journal` */
export const JournalGap = z
  .object({ against: z.literal("journal"), anchors: z.array(UnknownAnchor), next })
  .meta({ id: "JournalGap", description: "Anchors on chain that are missing in the journal." });

export const Gap = z.discriminatedUnion("against", [RestoredGap, JournalGap]).meta({
  id: "Gap",
  description: "Recorded documents missing from the restored data, or anchors missing in the journal.",
});

export type ComparedDocument = ResponseOf<typeof ComparedDocument>;
export type RecoveryVerification = ResponseOf<typeof RecoveryVerification>;
export type RecordedDocument = ResponseOf<typeof RecordedDocument>;
export type UnknownAnchor = ResponseOf<typeof UnknownAnchor>;
