// What the calls of the proof client take and return, besides the responses of the server.
import type * as z from "zod";
import type { Audience } from "../server/attestation/responses.ts";
import type { RequestOf } from "../server/http/route.ts";
import type { submitProof } from "../server/proofs/api.ts";
import type { inventory, RestoredRow } from "../server/recovery/api.ts";
import type { ComparedDocument, RestoredGap } from "../server/recovery/responses.ts";

/** A document to prove; `hash` is the SHA-256 of its content, hexadecimal. */
export type ProofRequest = RequestOf<(typeof submitProof)["body"]>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface SubmitOptions extends CallOptions {
  /** Maximum wait for the confirmation of an accepted document. Default 300 s. */
  readonly confirmWithinMilliseconds?: number;
  /** A repetition with the same idempotency key has the same result within 24 hours. Default: a new one. */
  readonly key?: string | undefined;
}

/** The subject of a statement: a document, a content, or a comparison. */
export type AttestationSubject =
  { readonly document_id: string } | { readonly hash: string } | { readonly verification_id: string };

/** The subject and the audience of a statement. */
export type AttestationRequest = AttestationSubject & { readonly audience: Audience };

/** A document restored from a backup; `hash` is the SHA-256 of the restored content, hexadecimal. */
export type RestoredDocument = RequestOf<typeof RestoredRow>;

/** A row of a comparison. */
export interface ComparedRow {
  readonly row: ComparedDocument;
  /** The text of the row, a leaf of `rows_root`. */
  readonly text: string;
}

/**
 * A time: an ISO date, which means its end in UTC and its beginning in `from`, an ISO date-time with its zone, or Unix
 * seconds.
 */
export type Moment = string | number;

/** Which recorded documents are listed. Times are those when a document was accepted. */
export interface InventorySearch {
  /** Those that were on chain at this time, as they were then. Default: now. */
  readonly date?: Moment | undefined;
  /** Text in the document's id. */
  readonly q?: string | undefined;
  /** SHA-256 of the content, hexadecimal. */
  readonly hash?: string | undefined;
  readonly from?: Moment | undefined;
  readonly to?: Moment | undefined;
  /** Documents of a page. */
  readonly limit?: number | undefined;
}

/** A page of recorded documents. */
export type InventoryPage = z.output<(typeof inventory)["result"]>;

/** A page of missing documents, and the verification that did not include them. */
export type GapPage = z.output<typeof RestoredGap>;
