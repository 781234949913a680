import * as z from "zod";
import { attest } from "../server/attestation/api.ts";
import type { Attestation } from "../server/attestation/responses.ts";
import type { Route } from "../server/http/route.ts";
import { listAlerts, status } from "../server/operations/api.ts";
import { Alert, type Status } from "../server/operations/responses.ts";
import {
  findBatch,
  findByTransaction,
  findProof,
  submitProof,
  submitProofs,
  verifyHash,
  verifyPostedHash,
} from "../server/proofs/api.ts";
import {
  type AnchoredProofs,
  type BatchPage,
  type BatchResponse,
  Bundle,
  FoundProof,
  type ProofResponse,
  type Verification,
  Verifications,
} from "../server/proofs/responses.ts";
import { MAX_TREE_SIZE } from "../server/kit/tree-size.ts";
import { gap, inventory, verifyRestored } from "../server/recovery/api.ts";
import {
  ComparedDocument,
  JournalGap,
  type RecordedDocument,
  RecoveryVerification,
  RestoredGap,
  type UnknownAnchor,
} from "../server/recovery/responses.ts";
import { ClientError, Problem } from "./errors.ts";
import {
  Http,
  type HttpOptions,
  type HttpRequest,
  type HttpResponse,
  parseJson,
  parseResponse,
  parseResult,
  type ResultSchema,
  retryAfterSeconds,
} from "./http.ts";
import { keyHeader, newIdempotencyKey } from "./idempotency-key.ts";
import { pause } from "./pause.ts";
import type {
  AttestationRequest,
  CallOptions,
  ComparedRow,
  GapPage,
  InventoryPage,
  InventorySearch,
  Moment,
  ProofRequest,
  RestoredDocument,
  SubmitOptions,
} from "./proof-requests.ts";
import { toClientError } from "./problem.ts";
import { withRetry } from "./retry.ts";
import { requestOf, type RouteInput } from "./route-request.ts";

/** The most documents, or hashes, of one request: as many as can share a transaction. */
export const MAX_DOCUMENTS = MAX_TREE_SIZE;

const RETRY_FOR_MILLISECONDS = 60_000;
const CONFIRM_WITHIN_MILLISECONDS = 300_000;
const POLL_SECONDS = 3;

/** Options of a {@link ProofClient}. */
export interface ProofClientOptions extends HttpOptions {
  /**
   * Maximum retry time while the server is not available; 0 disables retries. Default 60 s. A server that never
   * responded is tried for 3 s, and not again for a lasting reason, such as an unknown host.
   */
  readonly retryForMilliseconds?: number;
}

/** The fields of a portable proof that identify it; a verifier checks the rest. */
export const BundleRecord = Bundle.pick({ format: true, record: true });

/** Alerts, including kinds that this client does not define. */
const Alerts = z.object({ alerts: z.array(Alert.extend({ alert: z.string() })) });

/** The last line of an incomplete response. */
const Broken = z.object({ error: Problem });

/** The integrity-proof API. Its calls are idempotent and are retried after transient errors. */
export class ProofClient {
  readonly #http: Http;
  readonly #retryForMilliseconds: number;

  constructor(url: string, options: ProofClientOptions = {}) {
    this.#http = new Http(url, options);
    this.#retryForMilliseconds = options.retryForMilliseconds ?? RETRY_FOR_MILLISECONDS;
  }

  /**
   * Submits a document's hash and waits for its confirmation.
   * @returns the proof; a `pending` proof is accepted and will be anchored after the wait
   */
  async submit(request: ProofRequest, options: SubmitOptions = {}): Promise<ProofResponse> {
    const { signal, key = newIdempotencyKey() } = options;
    const headers = keyHeader(key);
    const response = await this.#send({ ...requestOf(submitProof, { body: request }), headers, signal });
    const path = this.#pollingPath(response, parseResult(submitProof, response).id);
    return this.#confirmed(submitProof, response, { method: "GET", path, signal }, options);
  }

  /**
   * Submits up to 1000 documents that share one transaction, and waits for its confirmation. The server accepts all of
   * them or none.
   */
  async submitTogether(requests: readonly ProofRequest[], options: SubmitOptions = {}): Promise<BatchResponse> {
    const { signal, key = newIdempotencyKey() } = options;
    // A repetition returns the outcome of the first request.
    const call = { ...requestOf(submitProofs, { body: { documents: requests } }), headers: keyHeader(key), signal };
    return this.#confirmed(submitProofs, await this.#send(call), call, options);
  }

  /** Finds a proof by its id, else the newest one of a document with that id. */
  find(id: string, options: CallOptions = {}): Promise<FoundProof | undefined> {
    return ifFound(() => this.#get(FoundProof, requestOf(findProof, { params: { id } }), options));
  }

  /** Fetches the proofs of a document, page by page: each page has the newest one, and older ones under `history`. */
  async *history(id: string, { signal }: CallOptions = {}): AsyncGenerator<FoundProof, void> {
    yield* this.#pages(FoundProof, (cursor) => requestOf(findProof, { params: { id }, query: { cursor } }), signal);
  }

  /** Finds the proofs of a transaction: a proof, or the first page of a batch. */
  findByTransaction(transactionHash: string, options: CallOptions = {}): Promise<AnchoredProofs | undefined> {
    return ifFound(() => this.#call(findByTransaction, { params: { txhash: transactionHash } }, options));
  }

  /** Fetches the proofs of a batch, page by page. */
  async *batch(id: string, { signal }: CallOptions = {}): AsyncGenerator<BatchPage, void> {
    const page = (cursor?: string) => requestOf(findBatch, { params: { id }, query: { cursor } });
    yield* this.#pages(findBatch.result, page, signal);
  }

  /**
   * Fetches the portable proof of the proof that {@link find} returns. It proves the document without the server.
   * @returns the exact text, which the signature covers
   * @throws ClientError `conflict` while the proof is not confirmed
   */
  async bundle(id: string, { signal }: CallOptions = {}): Promise<string | undefined> {
    return ifFound(async () => {
      const request = requestOf(findProof, { params: { id }, query: { format: "bundle" } });
      const response = await this.#send({ ...request, signal });
      parseResponse(BundleRecord, response);
      return response.text;
    });
  }

  /** Verifies that a document's hash has a proof. */
  verify(hash: string, options: CallOptions = {}): Promise<Verification> {
    return this.#call(verifyHash, { query: { hash } }, options);
  }

  /**
   * Verifies the hashes of up to 1000 documents.
   * @returns the results, in the order of the hashes
   */
  async verifyAll(hashes: readonly string[], options: CallOptions = {}): Promise<Verifications["results"]> {
    const request = requestOf(verifyPostedHash, { body: { hashes } });
    return (await this.#get(Verifications, request, options)).results;
  }

  /**
   * Requests a signed statement about records, checked against the chain.
   * @throws ClientError `not_found` without a record, `conflict` when the chain contradicts it
   */
  attest(request: AttestationRequest, options: CallOptions = {}): Promise<Attestation> {
    return this.#call(attest, { body: request }, options);
  }

  /**
   * Requests a statement as PDF, with the signed statement attached.
   * @throws ClientError like {@link attest}
   */
  async attestPdf(request: AttestationRequest, { signal }: CallOptions = {}): Promise<Uint8Array> {
    const headers = { Accept: "application/pdf, application/json;q=0.5" };
    return (await this.#send({ ...requestOf(attest, { body: request }), headers, signal })).bytes;
  }

  /** Fetches the raised alerts, then the newest resolved ones. */
  async alerts({ limit, signal }: CallOptions & { readonly limit?: number } = {}): Promise<
    z.output<typeof Alerts>["alerts"]
  > {
    return (await this.#get(Alerts, requestOf(listAlerts, { query: { limit } }), { signal })).alerts;
  }

  /** Fetches the state of the server and its chain. */
  status(options: CallOptions = {}): Promise<Status> {
    return this.#call(status, {}, options);
  }

  /**
   * Compares any number of restored documents with their records. Requests and responses are streamed; the call is
   * not retried.
   * @returns the rows in their order, and the totals as the return value of the generator
   */
  async *verifyRestored(
    documents: Iterable<RestoredDocument> | AsyncIterable<RestoredDocument>,
    { asOf, signal }: CallOptions & { readonly asOf?: Moment | undefined } = {},
  ): AsyncGenerator<ComparedRow, RecoveryVerification, void> {
    const { path } = requestOf(verifyRestored, { query: { as_of: asOf } });
    const response = await this.#http.exchange(path, documents, signal);
    if (response.status >= 300) throw toClientError(response);
    for await (const text of response.lines) {
      const line = { ...response, body: parseJson(text) };
      if (has(line.body, "result")) yield { row: parseResponse(ComparedDocument, line), text };
      else if (has(line.body, "error")) throw toClientError({ ...line, body: parseResponse(Broken, line).error });
      else return parseResponse(RecoveryVerification, line);
    }
    throw new ClientError("unexpected_response", "the response is incomplete");
  }

  /** Lists the documents on chain at a time, each with its newest record, newest first. */
  async *inventory({ signal, ...search }: CallOptions & InventorySearch = {}): AsyncGenerator<RecordedDocument, void> {
    const page = (cursor?: string) => requestOf(inventory, { query: { ...search, cursor } });
    for await (const { documents } of this.#pages(inventory.result, page, signal)) yield* documents;
  }

  /**
   * Returns a page of that list.
   * @param cursor `next` of the page before; a page with few documents, or none, can have it
   */
  inventoryPage(search: InventorySearch, cursor?: string, { signal }: CallOptions = {}): Promise<InventoryPage> {
    return this.#get(inventory.result, requestOf(inventory, { query: { ...search, cursor } }), { signal });
  }

  /** Lists the recorded documents that a verification did not include. */
  async *gap(verificationId: string, { signal }: CallOptions = {}): AsyncGenerator<RecordedDocument, void> {
    const page = (cursor?: string) => requestOf(gap, { query: { verification_id: verificationId, cursor } });
    for await (const { documents } of this.#pages(RestoredGap, page, signal)) yield* documents;
  }

  /**
   * Returns a page of that list, with the result of the verification.
   * @param verificationId Default: the newest verification of the caller
   * @throws ClientError `not_found` when there is none, `conflict` without its documents
   */
  gapPage(verificationId?: string, cursor?: string, { signal }: CallOptions = {}): Promise<GapPage> {
    const request = requestOf(gap, { query: { verification_id: verificationId, cursor } });
    return this.#get(RestoredGap, request, { signal });
  }

  /** Lists the anchors on chain that are missing in the server's journal. */
  async *unknownAnchors({ signal }: CallOptions = {}): AsyncGenerator<UnknownAnchor, void> {
    const page = (cursor?: string) => requestOf(gap, { query: { against: "journal", cursor } });
    for await (const { anchors } of this.#pages(JournalGap, page, signal)) yield* anchors;
  }

  async *#pages<Page extends { readonly next?: string | undefined }>(
    schema: z.ZodType<Page, Page>,
    pageFrom: (cursor: string | undefined) => HttpRequest,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Page, void> {
    let cursor: string | undefined;
    do {
      const page: Page = await this.#get(schema, pageFrom(cursor), { signal });
      yield page;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /** Polls while the response is pending, until the end of the wait. */
  async #confirmed<T extends { readonly status: "confirmed" | "pending" }>(
    route: ResultSchema<T>,
    first: HttpResponse,
    again: HttpRequest,
    { signal, confirmWithinMilliseconds = CONFIRM_WITHIN_MILLISECONDS }: SubmitOptions,
  ): Promise<T> {
    const end = performance.now() + confirmWithinMilliseconds;
    for (let response = first; ; response = await this.#send(again)) {
      const parsed = parseResult(route, response);
      const wait = (retryAfterSeconds(response.headers) ?? POLL_SECONDS) * 1000;
      if (parsed.status === "confirmed" || performance.now() + wait > end) return parsed;
      await pause(wait, signal);
    }
  }

  async #call<T, R extends Route>(
    route: R & ResultSchema<T>,
    input: RouteInput<R>,
    { signal }: CallOptions,
  ): Promise<T> {
    return parseResult(route, await this.#send({ ...requestOf(route, input), signal }));
  }

  /** @param schema Which of the route's results is expected */
  async #get<T>(schema: z.ZodType<T, T>, request: HttpRequest, { signal }: CallOptions): Promise<T> {
    return parseResponse(schema, await this.#send({ ...request, signal }));
  }

  #send(request: HttpRequest): Promise<HttpResponse> {
    const attempt = async (): Promise<HttpResponse> => {
      const response = await this.#http.send(request);
      if (response.status >= 300) throw toClientError(response);
      return response;
    };
    return withRetry(attempt, { retryForMilliseconds: this.#retryForMilliseconds, signal: request.signal });
  }

  /** The address for polling a pending proof. Credentials are never sent to another server. */
  #pollingPath({ headers }: HttpResponse, id: string): string {
    const location = headers.get("Location");
    const { base } = this.#http;
    if (location !== null && URL.canParse(location, base)) {
      const url = new URL(location, base);
      if (url.origin === new URL(base).origin) return url.href;
    }
    return `api/v1/proof/${id}`;
  }
}

async function ifFound<T>(fetchIt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await fetchIt();
  } catch (error) {
    if (error instanceof ClientError && error.code === "not_found") return undefined;
    throw error;
  }
}

function has(body: unknown, field: string): boolean {
  return typeof body === "object" && body !== null && field in body;
}
