import * as z from "zod";
import type { RequestOf } from "../server/http/route.ts";
import type { RecordStoreCall } from "../server/http/record-store/call.ts";
import { Failure, type RowChecks, type RowVerdict } from "../server/http/record-store/responses.ts";
import { decode, search, store } from "../server/records/api.ts";
import type { DecodedTransaction, RecordMark, SearchContent, StoreContent } from "../server/records/responses.ts";
import { auth, close, extend, validate } from "../server/sessions/api.ts";
import type { AuthContent, CloseContent, SessionContent } from "../server/sessions/responses.ts";
import { ClientError } from "./errors.ts";
import { Http, type HttpOptions, type HttpResponse, parseResponse, retryAfterSeconds } from "./http.ts";
import { keyHeader, newIdempotencyKey } from "./idempotency-key.ts";
import { withRetry } from "./retry.ts";

/** Shorter than the lifetime of a token. */
const RETRY_FOR_MILLISECONDS = 15_000;

/** Options of a {@link RecordClient}. */
export interface RecordClientOptions extends HttpOptions {
  /**
   * Maximum retry time of a store, search or decode while the server is not available. Default 15 s. A server that
   * never responded is tried for 3 s, and not again for a lasting reason, such as an unknown host.
   */
  readonly retryForMilliseconds?: number;
}

/** A record to store. */
export interface NewRecord {
  readonly code: string;
  readonly topic: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A search. */
export interface RecordSearch {
  readonly field: "code" | "topic";
  /** The field's value; `*` matches any run of characters, `\*` a literal star. */
  readonly value: string;
  /** Records a page. */
  readonly limit?: number;
  /** Whether to include the location of each record on the chain. */
  readonly locations?: boolean;
}

/** A record; `location` is its position on the chain, on request. */
export interface FoundRecord {
  readonly sender: string;
  readonly code: string;
  readonly createdAt: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The JSON text of `payload`, with its numbers as they were written. */
  readonly payloadText: string;
  readonly topic: string;
  readonly location:
    { readonly chainId: string; readonly transactionHash: string; readonly blockNumber: number } | undefined;
  /** Set when another row was written over the record. */
  readonly mark: Omit<RecordMark, "event"> | undefined;
}

/** Decoded call data, the checks of its row, and the row in the server's index; `null` when the index lacks it. */
export interface AuditedTransaction {
  readonly transaction: DecodedTransaction;
  readonly checks: RowChecks;
  readonly record: RowVerdict | null;
}

/** A page of the matching records. */
export interface RecordPage {
  readonly events: readonly FoundRecord[];
  /** `undefined` on the last page. */
  readonly next?: string | undefined;
}

/**
 * The record store API. Store, search and decode are retried; a record is stored once, because its call has an
 * idempotency key. Calls that replace a token are not retried.
 */
export class RecordClient {
  readonly #http: Http;
  readonly #retryForMilliseconds: number;

  constructor(url: string, options: RecordClientOptions = {}) {
    this.#http = new Http(url, options);
    this.#retryForMilliseconds = options.retryForMilliseconds ?? RETRY_FOR_MILLISECONDS;
  }

  /** Opens a session; its token is `tparams.tx`. */
  auth(login: string, password: string): Promise<AuthContent> {
    return this.#call(auth, { credentials: { login, password } });
  }

  /**
   * Validates a session; `tparams.tx` replaces the token.
   * @param key A repeated call with the same idempotency key returns the same token, until that is replaced
   */
  validate(token: string, key?: string): Promise<SessionContent> {
    return this.#call(validate, { credentials: { token } }, sessionHeaders(token, key));
  }

  /**
   * Extends a validated session; `tparams.tx` replaces the token.
   * @param key As for {@link validate}
   */
  extend(token: string, key?: string): Promise<SessionContent> {
    return this.#call(extend, { credentials: { token } }, sessionHeaders(token, key));
  }

  /** Ends a session. */
  close(token: string): Promise<CloseContent> {
    return this.#call(close, { credentials: { token } }, sessionHeaders(token));
  }

  /**
   * Stores a record.
   * @param token The token, or a function that returns the current token for each attempt
   * @param key With the same idempotency key, the same record is stored once within 24 hours
   */
  store(token: string | (() => string), record: NewRecord, key: string = newIdempotencyKey()): Promise<StoreContent> {
    const call = () => ({ credentials: { token: current(token) }, payload: record });
    return this.#retried(() => this.#call(store, call(), keyHeader(key)));
  }

  /**
   * Searches records, newest first, and fetches pages on demand.
   * @param token The token, or a function that returns the current token for each page
   */
  async *search(token: string | (() => string), search: RecordSearch): AsyncGenerator<FoundRecord, void> {
    let cursor: string | undefined;
    do {
      const { events, next } = await this.page(current(token), search, cursor);
      yield* events;
      cursor = next;
    } while (cursor !== undefined);
  }

  /** Fetches a page of the matching records. */
  async page(token: string, { field, value, limit, locations }: RecordSearch, cursor?: string): Promise<RecordPage> {
    const sought = { target: field === "code" ? "1" : "2", value, limit, cursor, locations } as const;
    const call = { credentials: { token }, payload: { search: sought } };
    const { tparams } = await this.#retried(() => this.#call(searchTparams, call));
    const marks = new Map(tparams.marks?.map(({ event, ...mark }) => [event, mark]));
    return {
      events: tparams.events.map((event, index) => toRecord(event, tparams.locations?.[index], marks.get(index))),
      next: tparams.next,
    };
  }

  /** Decodes the call data of a transaction. */
  async decode(token: string, name: "set" | "insert", inputdata: string): Promise<DecodedTransaction> {
    return (await this.audit(token, name, inputdata)).transaction;
  }

  /** Decodes the call data of a transaction, and looks its row up in the server's index of the chain. */
  async audit(token: string, name: "set" | "insert", inputdata: string): Promise<AuditedTransaction> {
    const call = { credentials: { token }, payload: { function: name, inputdata } };
    return (await this.#retried(() => this.#call(decodeTparams, call))).tparams;
  }

  #retried<T>(attempt: () => Promise<T>): Promise<T> {
    return withRetry(attempt, { retryForMilliseconds: this.#retryForMilliseconds });
  }

  async #call<T, C extends RecordStoreCall>(
    { route, content }: C & { readonly content: z.ZodType<T, T> },
    input: RequestOf<C["input"]>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T> {
    const response = await this.#http.send({
      method: "POST",
      path: "api",
      body: { ...input, route, method: "GET" },
      ...(headers === undefined ? {} : { headers }),
    });
    return parseResponse<T>(content, { ...response, body: contentOf(response) });
  }
}

/** Session calls also send the token as a cookie; browsers ignore this header and send their own cookies. */
function sessionHeaders(token: string, key?: string): Readonly<Record<string, string>> {
  return { Cookie: `svcauth=${encodeURIComponent(token)}`, ...(key === undefined ? {} : keyHeader(key)) };
}

/** Of these calls, nothing else of the content is used. */
const searchTparams = { ...search, content: search.content.pick({ tparams: true }) };
const decodeTparams = { ...decode, content: decode.content.pick({ tparams: true }) };

function current(token: string | (() => string)): string {
  return typeof token === "string" ? token : token();
}

const JsonObject = z.record(z.string(), z.unknown());

/** The envelope of every response. */
const Envelope = z.discriminatedUnion("status", [
  z.object({ status: z.literal(1), content: JsonObject }),
  Failure.pick({ status: true, content: true }),
]);

function contentOf(response: HttpResponse): object {
  const parsed = Envelope.safeParse(response.body);
  if (parsed.success && parsed.data.status === 1) return parsed.data.content;
  const { status, headers } = response;
  const options = { status, retryAfterSeconds: retryAfterSeconds(headers) };
  if (!parsed.success || parsed.data.status === 1) {
    throw new ClientError("unexpected_response", `the server responded with status ${status} and no envelope`, options);
  }
  const { code, message, details } = parsed.data.content.error;
  throw new ClientError(code, message, { ...options, details });
}

type Tparams = SearchContent["tparams"];

function toRecord(
  [sender, code, createdAt, payload, topic]: Tparams["events"][number],
  location: NonNullable<Tparams["locations"]>[number] | undefined,
  mark: FoundRecord["mark"],
): FoundRecord {
  return {
    sender,
    code,
    createdAt,
    ...payloadOf(payload),
    topic,
    location: location && {
      chainId: String(location.chainid),
      transactionHash: location.tx_hash,
      blockNumber: location.block_number,
    },
    mark,
  };
}

/** Decodes a payload: JSON in base64. */
function payloadOf(base64: string): Pick<FoundRecord, "payload" | "payloadText"> {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const payloadText = new TextDecoder().decode(bytes);
    return { payload: JsonObject.parse(JSON.parse(payloadText)), payloadText };
  } catch (cause) {
    throw new ClientError("unexpected_response", "the payload of a record is not JSON", { cause });
  }
}
