import * as z from "zod";
import {
  DocumentId,
  hashedText,
  isNoLaterThanTomorrow,
  pageCursor,
  pageLimit,
  Sha256,
  TOO_LATE,
} from "../http/fields.ts";
import { defineRoute } from "../http/route.ts";
import { MAX_TREE_SIZE } from "../kit/tree-size.ts";
import {
  AnchoredProofs,
  BatchPage,
  BatchResponse,
  Bundle,
  FoundProof,
  ProofResponse,
  Verification,
  Verifications,
} from "./responses.ts";

const TAG = "Proofs";
const MAX_TYPE = 128;
const MAX_SOURCE = 256;
/** The largest page, and the usual one. */
const MAX_PAGE = 100;

const REPEATED =
  "A repetition with the same `Idempotency-Key` has the same response for 24 hours. A timestamp that it leaves out " +
  "is the time of the first request.";
const LOCATION = { Location: "The path of the proof or batch." };
const RETRY = { "Retry-After": "Seconds until the next poll." };
const ACCEPTED = {
  200: "The proof existed already.",
  201: { description: "The proof is confirmed.", headers: LOCATION },
  202: {
    description: "The submission is accepted; its confirmation is pending.",
    headers: { ...LOCATION, ...RETRY },
  },
};

const TransactionHash = z
  .string()
  .regex(/^0[xX][0-9a-fA-F]{64}$/, "is not a transaction hash: 0x and 64 hexadecimal digits")
  .transform((text): Uint8Array => Buffer.from(text.slice(2), "hex"))
  .meta({ description: "A transaction hash: `0x` and 64 hexadecimal digits." });

const Document = z
  .object({
    document_id: DocumentId,
    hash: Sha256,
    metadata: z
      .looseObject({
        type: hashedText(MAX_TYPE).exactOptional(),
        timestamp: z.int().min(0, "is before 1970").refine(isNoLaterThanTomorrow, TOO_LATE).exactOptional(),
        source: hashedText(MAX_SOURCE).exactOptional(),
      })
      .default({})
      .meta({
        description: "Descriptive data, with fields of any name; `timestamp` and `type` are part of the recorded hash.",
      }),
  })
  .transform(({ document_id, hash, metadata }) => ({ documentId: document_id, hash, metadata }))
  .meta({ id: "Document", description: "A document to prove, by its hash." });

export const submitProof = defineRoute({
  id: "submitProof",
  method: "post",
  path: "/api/v1/proof",
  tag: TAG,
  summary: "Submit a document",
  description:
    "Anchors the hash of a document. Only a hash goes on chain. A repetition with the same timestamp returns the " +
    `same proof. ${REPEATED}`,
  isKeyed: true,
  body: Document,
  result: ProofResponse,
  statuses: ACCEPTED,
});

export const submitProofs = defineRoute({
  id: "submitProofs",
  method: "post",
  path: "/api/v1/proof/batch",
  tag: TAG,
  summary: "Submit a batch of documents",
  description: `Accepts up to 1000 documents that share one transaction, all or none. ${REPEATED}`,
  isKeyed: true,
  body: z
    .object({
      documents: z
        .array(Document)
        .min(1, "has no document")
        .max(MAX_TREE_SIZE, `has more than ${MAX_TREE_SIZE} documents`),
    })
    .meta({ id: "BatchBody", description: "Documents that share one transaction." }),
  result: BatchResponse,
  statuses: ACCEPTED,
});

const BatchQuery = z.object({ limit: pageLimit(MAX_PAGE, MAX_PAGE), cursor: pageCursor(4).default(0) });

export const findBatch = defineRoute({
  id: "findBatch",
  method: "get",
  path: "/api/v1/proof/batch/{id}",
  tag: TAG,
  summary: "Find a batch",
  description: "Returns the proofs under a root, page by page.",
  params: z.object({ id: Sha256 }),
  query: BatchQuery,
  result: BatchPage,
  statuses: { 200: "The batch, and a page of its proofs." },
  errors: [404],
});

export const findByTransaction = defineRoute({
  id: "findByTransaction",
  method: "get",
  path: "/api/v1/proof/tx/{txhash}",
  tag: TAG,
  summary: "Find the proofs of a transaction",
  description: "Returns one proof, or a page of the proofs of a batch.",
  params: z.object({ txhash: TransactionHash }),
  query: BatchQuery,
  result: AnchoredProofs,
  statuses: { 200: "The proofs of the transaction." },
  errors: [404],
});

export const findProof = defineRoute({
  id: "findProof",
  method: "get",
  path: "/api/v1/proof/{id}",
  tag: TAG,
  summary: "Find a proof",
  description:
    "Finds a proof by its id, or the newest proof of a document with a page of the older ones as its history. A " +
    "bundle is a portable proof, which can be checked without this server; only confirmed proofs have one.",
  params: z.object({ id: z.string().meta({ description: "The id of a proof or of a document." }) }),
  query: z.object({
    limit: pageLimit(MAX_PAGE, MAX_PAGE, "Maximum number of proofs in `history`."),
    cursor: pageCursor().optional(),
    format: z
      .literal("bundle", 'is not "bundle", the only other format')
      .optional()
      .meta({ description: "`bundle` for the portable proof." }),
  }),
  result: z.union([FoundProof, Bundle]),
  statuses: {
    200: {
      description: "The proof, or the bundle of the newest proof.",
      headers: { ...RETRY, ETag: "Identifies a bundle." },
    },
  },
  errors: [404, 409],
});

/** `hash` and `document_hash` are two names of one field. */
const ONE_HASH = { hash: Sha256.optional(), document_hash: Sha256.optional() };

/** @param named The one that an error names when both are missing */
function oneHash(
  { hash, document_hash }: z.output<z.ZodObject<typeof ONE_HASH>>,
  context: z.RefinementCtx,
  named: "hash" | "document_hash",
): Uint8Array {
  const differ = hash !== undefined && document_hash !== undefined && Buffer.compare(hash, document_hash) !== 0;
  const given = document_hash ?? hash;
  if (given !== undefined && !differ) return given;
  context.addIssue(
    differ
      ? { code: "custom", path: ["hash"], message: "differs from document_hash; send one of them" }
      : { code: "custom", path: [named], message: "is missing" },
  );
  return z.NEVER;
}

const HashQuery = z
  .object(ONE_HASH)
  .transform((given, context) => oneHash(given, context, "hash"))
  .meta({
    id: "HashQuery",
    description: "A hash, as `document_hash` or as `hash`; if both are sent, they must be equal.",
    anyOf: [{ required: ["document_hash"] }, { required: ["hash"] }],
  });

const HashBody = z
  .object({
    ...ONE_HASH,
    hashes: z
      .array(Sha256)
      .min(1, "has no hash")
      .max(MAX_TREE_SIZE, `has more than ${MAX_TREE_SIZE} hashes`)
      .optional()
      .meta({ description: "Up to 1000 hashes, in place of one." }),
  })
  .transform(({ hashes, ...one }, context): { hash: Uint8Array } | { hashes: Uint8Array[] } => {
    if (hashes === undefined) return { hash: oneHash(one, context, "document_hash") };
    if (one.hash === undefined && one.document_hash === undefined) return { hashes };
    context.addIssue({ code: "custom", path: ["hashes"], message: "is sent with another hash; send one of them" });
    return z.NEVER;
  })
  .meta({
    id: "HashBody",
    description:
      "A hash, as `document_hash` or as `hash`; if both are sent, they must be equal. Or a list, as `hashes`.",
  });

const VERIFY = {
  path: "/api/v1/verify",
  tag: TAG,
  statuses: { 200: "The result of the verification." },
} as const;

export const verifyHash = defineRoute({
  ...VERIFY,
  id: "verifyHash",
  method: "get",
  summary: "Verify a hash",
  description: "Returns whether a document with this hash has a proof, and its time.",
  result: Verification,
  query: HashQuery,
});

export const verifyPostedHash = defineRoute({
  ...VERIFY,
  id: "verifyPostedHash",
  method: "post",
  summary: "Verify hashes with POST",
  description:
    "The same as GET; it records nothing. With `hashes` it verifies up to 1000 at once, and returns their results in " +
    "`results`, in their order; those of callers with access to the journal name the document.",
  body: HashBody,
  result: z.union([Verification, Verifications]),
});

/** The integrity-proof API. */
export const PROOF_ROUTES = [
  submitProof,
  submitProofs,
  findBatch,
  findByTransaction,
  findProof,
  verifyHash,
  verifyPostedHash,
];
