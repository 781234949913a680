import { z } from "zod";
import { hex32, Metadata, sha256, whole } from "./primitives.ts";

/** Where and when something was recorded. */
const recorded = {
  /** The recorded hash, which identifies the proof. */
  id: sha256,
  /** Its block's time, Unix seconds. */
  recorded_at: whole,
  tx_hash: hex32,
  block_number: whole,
};

const row = { document_id: z.string(), hash: sha256 };

/** What a restored document is, compared with what was recorded of it. */
export const ComparedDocument = z.discriminatedUnion("result", [
  z.looseObject({ ...row, result: z.literal("match"), ...recorded }),
  z.looseObject({
    ...row,
    result: z.literal("mismatch"),
    /** SHA-256 of what was recorded last. */
    recorded_hash: sha256,
    ...recorded,
    /** When what was restored had been recorded before that. */
    earlier: z.looseObject(recorded).optional(),
  }),
  z.looseObject({
    ...row,
    result: z.literal("unrecorded"),
    reason: z.string().optional(),
    /** Other documents that the same content was recorded of. */
    recorded_as: z.array(z.string()).optional(),
  }),
]);

/** A comparison as a whole. */
export const RecoveryVerification = z.looseObject({
  verification_id: z.string(),
  /** Unix seconds. */
  as_of: whole.nullable(),
  finished_at: whole,
  totals: z.looseObject({ documents: whole, match: whole, mismatch: whole, unrecorded: whole }),
  /** Merkle root (RFC 6962) over the texts of the rows. */
  rows_root: sha256,
});

/** A document that was recorded. */
export const InventoryDocument = z.looseObject({
  ...row,
  metadata: Metadata,
  ...recorded,
  /** How the chain contradicts the server's record of it. */
  fault: z.string().optional(),
});

/** An anchor on chain that the server's journal lacks. */
export const UnknownAnchor = z.looseObject({ hash: sha256, size: whole, tx_hash: hex32, block_number: whole });

const next = z.string().optional();
export const DocumentPage = z.looseObject({ documents: z.array(InventoryDocument), next });
export const AnchorPage = z.looseObject({ anchors: z.array(UnknownAnchor), next });

export type ComparedDocument = z.output<typeof ComparedDocument>;
export type RecoveryVerification = z.output<typeof RecoveryVerification>;
export type InventoryDocument = z.output<typeof InventoryDocument>;
export type UnknownAnchor = z.output<typeof UnknownAnchor>;
