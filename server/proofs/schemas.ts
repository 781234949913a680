import { z } from "zod";
import { MAX_TREE_SIZE } from "../journal/integrity/merkle.ts";
import { malformed } from "../errors.ts";
import { inQuery, pageLimit, Sha256, storedText } from "../http/fields.ts";

const MAX_DOCUMENT_ID = 512;
const MAX_TYPE = 128;
const MAX_SOURCE = 256;
/** The largest page, and the usual one. */
const MAX_PAGE = 100;

/** A transaction hash. */
export const TransactionHash = z
  .string()
  .regex(/^0[xX][0-9a-fA-F]{64}$/, "is not a transaction hash: 0x and 64 hexadecimal digits")
  .transform((text): Uint8Array => Buffer.from(text.slice(2), "hex"))
  .meta({ description: "A transaction hash: `0x` and 64 hexadecimal digits." });

// Hashes are computed over UTF-8, which cannot encode an unpaired surrogate.
const text = (maximum: number) =>
  storedText(maximum).refine((value) => value.isWellFormed(), "contains half a surrogate pair");

/** The identifier of a document in the calling system. */
export const DocumentId = text(MAX_DOCUMENT_ID)
  .min(1, "is empty")
  .meta({ id: "DocumentId", description: "The identifier of the document in the calling system." });

/** `POST /api/v1/proof` */
export const ProofBody = z
  .object({
    document_id: DocumentId,
    hash: Sha256,
    metadata: z
      .looseObject({
        type: text(MAX_TYPE).exactOptional(),
        timestamp: z.int().min(0, "is before 1970").exactOptional(),
        source: text(MAX_SOURCE).exactOptional(),
      })
      .default({})
      .meta({
        description: "Descriptive data, with fields of any name; `timestamp` and `type` are part of the recorded hash.",
      }),
  })
  .transform(({ document_id, hash, metadata }) => ({ documentId: document_id, hash, metadata }))
  .meta({ id: "Document", description: "A document to prove, by its hash." });

/** `POST /api/v1/proof/batch` */
export const BatchBody = z
  .object({
    documents: z
      .array(ProofBody)
      .min(1, "has no document")
      .max(MAX_TREE_SIZE, `has more than ${MAX_TREE_SIZE} documents`),
  })
  .meta({ id: "BatchBody", description: "Documents that share one transaction." });

/** A batch's id: its root. */
export const BatchId = Sha256;

/** `GET /api/v1/proof/:id`: the proof with a page of its history, or its bundle. */
export const ProofQuery = z.object({
  limit: pageLimit(MAX_PAGE, MAX_PAGE, "Maximum number of proofs in `history`."),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "is not a cursor of an earlier response")
    .transform(Number)
    .optional()
    .meta({ ...inQuery(0, 999_999_999_999_999), description: "`next` of the previous page." }),
  format: z
    .literal("bundle", 'is not "bundle", the only other format')
    .optional()
    .meta({ description: "`bundle` for the portable proof." }),
});

/** The page of a batch. */
export const PageQuery = z.object({
  limit: pageLimit(MAX_PAGE, MAX_PAGE),
  cursor: z
    .string()
    .regex(/^\d{1,4}$/, "is not a cursor of an earlier response")
    .transform(Number)
    .default(0)
    .meta({ ...inQuery(0, 9_999), description: "`next` of the previous page." }),
});

/** `GET` and `POST /api/v1/verify` */
export const HashQuery = z.object({ hash: Sha256.optional(), document_hash: Sha256.optional() }).meta({
  id: "HashQuery",
  description: "A hash, as `document_hash` or as `hash`; if both are sent, they must be equal.",
  anyOf: [{ required: ["document_hash"] }, { required: ["hash"] }],
});

/**
 * Returns the hash to verify: `hash` and `document_hash` are two names of one parameter.
 * @throws SealbookError `malformed` when neither is given, or both with different values
 */
export function hashOf({ hash, document_hash }: z.output<typeof HashQuery>): Uint8Array {
  if (hash !== undefined && document_hash !== undefined && Buffer.compare(hash, document_hash) !== 0) {
    throw malformed("hash", "differs from document_hash; send one of them");
  }
  const given = document_hash ?? hash;
  if (given === undefined) throw malformed("document_hash", "is missing");
  return given;
}
