import { z } from "zod";
import { Attestation, type Audience } from "./attestation-schemas.ts";
import { ClientError, Problem } from "./errors.ts";
import {
  Http,
  type HttpAnswer,
  type HttpOptions,
  type HttpRequest,
  parseAnswer,
  parseJson,
  retryAfterSeconds,
} from "./http.ts";
import {
  AnchorPage,
  ComparedDocument,
  DocumentPage,
  type InventoryDocument,
  RecoveryVerification,
  type UnknownAnchor,
} from "./recovery-schemas.ts";
import { pause } from "./pause.ts";
import { problemIn } from "./problem.ts";
import {
  type Alert,
  Alerts,
  Anchored,
  BatchAnswer,
  BatchPage,
  Bundle,
  FoundProof,
  ProofAnswer,
  type ProofMetadata,
  Status,
  Verification,
} from "./proof-schemas.ts";
import { withRetry } from "./retry.ts";

const RETRY_FOR_MILLISECONDS = 60_000;
const CONFIRM_WITHIN_MILLISECONDS = 300_000;
const POLL_SECONDS = 3;
const ATTEST = "api/v1/recovery/attest";

/** How a {@link ProofClient} works. */
export interface ProofClientOptions extends HttpOptions {
  /** How long to go on while the server is not reachable or refuses for now; 0 gives up at once. Default 60 s. */
  readonly retryForMilliseconds?: number;
}

/** A document to be proved. */
export interface ProofRequest {
  readonly document_id: string;
  /** SHA-256 of the document, hexadecimal. */
  readonly hash: string;
  readonly metadata?: Readonly<Partial<ProofMetadata>>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface SubmitOptions extends CallOptions {
  /** How long to wait for the confirmation of what was accepted. Default 300 s. */
  readonly confirmWithinMilliseconds?: number;
}

/** What a statement can be about: a document, a content, or a comparison. */
export type AttestationSubject =
  { readonly document_id: string } | { readonly hash: string } | { readonly verification_id: string };

/** What a statement is to say, and whom it is for. */
export type AttestationQuestion = AttestationSubject & { readonly audience: Audience };

/** A document as it came back from a backup. */
export interface RestoredDocument {
  readonly document_id: string;
  /** SHA-256 of what was restored, hexadecimal. */
  readonly hash: string;
}

/** A row of a comparison. */
export interface ComparedRow {
  readonly row: ComparedDocument;
  /** The row's own text, over which `rows_root` is. */
  readonly text: string;
}

/** A moment: an ISO date, which means its end in UTC, an ISO date-time with its zone, or Unix seconds. */
export type Moment = string | number;

/** The last line of an answer that could not be finished. */
const Broken = z.looseObject({ error: Problem });

/** The integrity-proof API. Every call of it is safe to repeat, and is repeated while it fails with what can pass. */
export class ProofClient {
  readonly #http: Http;
  readonly #retryForMilliseconds: number;

  constructor(url: string, options: ProofClientOptions = {}) {
    this.#http = new Http(url, options);
    this.#retryForMilliseconds = options.retryForMilliseconds ?? RETRY_FOR_MILLISECONDS;
  }

  /**
   * Submits a document's hash and waits for its confirmation.
   * @returns the proof; one that is still `pending` was accepted and will be anchored, but not within the wait
   */
  async submit(request: ProofRequest, options: SubmitOptions = {}): Promise<ProofAnswer> {
    const { signal } = options;
    const answer = await this.#call({ method: "POST", path: "api/v1/proof", body: timed(request), signal });
    const place = this.#pollingPlace(answer, parseAnswer(ProofAnswer, answer).id);
    return this.#confirmed(ProofAnswer, answer, { method: "GET", path: place, signal }, options);
  }

  /**
   * Submits up to 1000 documents that share one transaction, and waits for its confirmation: all of them are accepted,
   * or none.
   */
  async submitTogether(requests: readonly ProofRequest[], options: SubmitOptions = {}): Promise<BatchAnswer> {
    const { signal } = options;
    // Sent again it is answered with what became of it.
    const call = {
      method: "POST",
      path: "api/v1/proof/batch",
      body: { documents: requests.map(timed) },
      signal,
    } as const;
    return this.#confirmed(BatchAnswer, await this.#call(call), call, options);
  }

  /** Finds a proof by its id, else the newest one of a document with that id. */
  find(id: string, options: CallOptions = {}): Promise<FoundProof | undefined> {
    return ifFound(() => this.#get(FoundProof, `api/v1/proof/${encodeURIComponent(id)}`, options));
  }

  /** Finds what a transaction anchored: a proof, or the first page of a batch. */
  findByTransaction(transactionHash: string, options: CallOptions = {}): Promise<Anchored | undefined> {
    return ifFound(() => this.#get(Anchored, `api/v1/proof/tx/${encodeURIComponent(transactionHash)}`, options));
  }

  /** Finds the proofs that one root stands for, page by page. */
  async *batch(id: string, { signal }: CallOptions = {}): AsyncGenerator<BatchPage, void> {
    yield* this.#pages(BatchPage, `api/v1/proof/batch/${encodeURIComponent(id)}`, {}, signal);
  }

  /**
   * Gets the portable proof of what {@link find} finds: with it anybody can check the document without the server.
   * @returns its text, which is signed as it is
   * @throws ClientError `conflict` while the proof is not confirmed
   */
  async bundle(id: string, { signal }: CallOptions = {}): Promise<string | undefined> {
    return ifFound(async () => {
      const answer = await this.#call({
        method: "GET",
        path: `api/v1/proof/${encodeURIComponent(id)}?format=bundle`,
        signal,
      });
      parseAnswer(Bundle, answer);
      return answer.text;
    });
  }

  /** Asks whether a document's hash has a proof. */
  verify(hash: string, options: CallOptions = {}): Promise<Verification> {
    return this.#get(Verification, `api/v1/verify?hash=${encodeURIComponent(hash)}`, options);
  }

  /**
   * Has a statement made of what is recorded, checked against the chain and signed.
   * @throws ClientError `not_found` when nothing is recorded, `conflict` when the chain contradicts it
   */
  async attest(question: AttestationQuestion, { signal }: CallOptions = {}): Promise<Attestation> {
    return parseAnswer(Attestation, await this.#call({ method: "POST", path: ATTEST, body: question, signal }));
  }

  /**
   * The same on paper: a PDF with the signed statement attached.
   * @throws ClientError like {@link attest}
   */
  async attestPdf(question: AttestationQuestion, { signal }: CallOptions = {}): Promise<Uint8Array> {
    const headers = { Accept: "application/pdf, application/json;q=0.5" };
    return (await this.#call({ method: "POST", path: ATTEST, body: question, headers, signal })).bytes;
  }

  /** Asks what is wrong, and what was: alerts that last, then the newest of those that are over. */
  async alerts({ limit, signal }: CallOptions & { readonly limit?: number } = {}): Promise<Alert[]> {
    return (await this.#get(Alerts, `api/v1/alerts${limit === undefined ? "" : `?limit=${limit}`}`, { signal })).alerts;
  }

  /** Asks for the state of the server and its chain. */
  status(options: CallOptions = {}): Promise<Status> {
    return this.#get(Status, "api/v1/status", options);
  }

  /**
   * Compares restored documents with what was recorded. Any number of them: they are sent while the answers come in,
   * which is why it is not repeated when it fails.
   * @returns the rows in their order, and at the end, as what the generator returns, the comparison as a whole
   */
  async *verifyRestored(
    documents: Iterable<RestoredDocument> | AsyncIterable<RestoredDocument>,
    { asOf, signal }: CallOptions & { readonly asOf?: Moment | undefined } = {},
  ): AsyncGenerator<ComparedRow, RecoveryVerification, void> {
    const query = asOf === undefined ? "" : `?as_of=${encodeURIComponent(asOf)}`;
    const answer = await this.#http.exchange(`api/v1/recovery/verify${query}`, documents, signal);
    if (answer.status >= 300) throw problemIn(answer);
    for await (const text of answer.lines) {
      const line = { ...answer, body: parseJson(text) };
      if (has(line.body, "result")) yield { row: parseAnswer(ComparedDocument, line), text };
      else if (has(line.body, "error")) throw problemIn({ ...line, body: parseAnswer(Broken, line).error });
      else return parseAnswer(RecoveryVerification, line);
    }
    throw new ClientError("unexpected_answer", "the answer ended before it was whole");
  }

  /** The documents that were on chain at a time, each with what was recorded of it last. */
  async *inventory({ date, signal }: CallOptions & { readonly date?: Moment | undefined } = {}): AsyncGenerator<
    InventoryDocument,
    void
  > {
    const query = date === undefined ? {} : { date: String(date) };
    for await (const { documents } of this.#pages(DocumentPage, "api/v1/recovery/inventory", query, signal))
      yield* documents;
  }

  /** Recorded documents that a verification did not see. */
  async *gap(verificationId: string, { signal }: CallOptions = {}): AsyncGenerator<InventoryDocument, void> {
    const query = { verification_id: verificationId };
    for await (const { documents } of this.#pages(DocumentPage, "api/v1/recovery/gap", query, signal)) yield* documents;
  }

  /** Anchors on chain that the server's journal lacks. */
  async *unknownAnchors({ signal }: CallOptions = {}): AsyncGenerator<UnknownAnchor, void> {
    const query = { against: "journal" };
    for await (const { anchors } of this.#pages(AnchorPage, "api/v1/recovery/gap", query, signal)) yield* anchors;
  }

  async *#pages<Page extends { readonly next?: string | undefined }>(
    schema: z.ZodType<Page>,
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Page, void> {
    let cursor: string | undefined;
    do {
      const parameters = new URLSearchParams({ ...query, ...(cursor === undefined ? {} : { cursor }) });
      const page: Page = await this.#get(schema, `${path}?${parameters}`, { signal });
      yield page;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /** Asks again while an answer is pending, as long as is waited for. */
  async #confirmed<Schema extends z.ZodType<{ readonly status: "confirmed" | "pending" }>>(
    schema: Schema,
    first: HttpAnswer,
    again: HttpRequest,
    { signal, confirmWithinMilliseconds = CONFIRM_WITHIN_MILLISECONDS }: SubmitOptions,
  ): Promise<z.output<Schema>> {
    const end = performance.now() + confirmWithinMilliseconds;
    for (let answer = first; ; answer = await this.#call(again)) {
      const parsed = parseAnswer(schema, answer);
      const wait = (retryAfterSeconds(answer.headers) ?? POLL_SECONDS) * 1000;
      if (parsed.status === "confirmed" || performance.now() + wait > end) return parsed;
      await pause(wait, signal);
    }
  }

  async #get<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    { signal }: CallOptions,
  ): Promise<z.output<Schema>> {
    return parseAnswer(schema, await this.#call({ method: "GET", path, signal }));
  }

  #call(request: HttpRequest): Promise<HttpAnswer> {
    const attempt = async (): Promise<HttpAnswer> => {
      const answer = await this.#http.send(request);
      if (answer.status >= 300) throw problemIn(answer);
      return answer;
    };
    return withRetry(attempt, { retryForMilliseconds: this.#retryForMilliseconds, signal: request.signal });
  }

  /** Where to ask for a pending proof. Another server than the one that was asked gets no credentials. */
  #pollingPlace({ headers }: HttpAnswer, id: string): string {
    const location = headers.get("Location");
    const place = location === null ? null : URL.parse(location, this.#http.base);
    return place?.origin === new URL(this.#http.base).origin ? place.href : `api/v1/proof/${id}`;
  }
}

/** Fixed before the first attempt: with the same time a repeat is the same record, which is anchored once. */
function timed(request: ProofRequest): ProofRequest {
  return {
    ...request,
    metadata: { ...request.metadata, timestamp: request.metadata?.timestamp ?? Math.floor(Date.now() / 1000) },
  };
}

async function ifFound<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ClientError && error.code === "not_found") return undefined;
    throw error;
  }
}

function has(body: unknown, field: string): boolean {
  return typeof body === "object" && body !== null && field in body;
}
