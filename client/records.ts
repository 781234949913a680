import type { z } from "zod";
import { ClientError } from "./errors.ts";
import { Http, type HttpAnswer, type HttpOptions, parseAnswer, retryAfterSeconds } from "./http.ts";
import {
  AuthContent,
  type Authenticated,
  CloseContent,
  type Closed,
  DecodeContent,
  type DecodedTransaction,
  Envelope,
  type FoundRecord,
  SearchContent,
  SessionContent,
  type SessionState,
  StoreContent,
  type StoredRecord,
} from "./record-schemas.ts";
import { withRetry } from "./retry.ts";

/** Shorter than a token's life: an answer that comes later is of no use. */
const RETRY_FOR_MILLISECONDS = 15_000;

/** How a {@link RecordClient} works. */
export interface RecordClientOptions extends HttpOptions {
  /** How long a search or decode goes on while the server is not reachable or refuses for now. Default 15 s. */
  readonly retryForMilliseconds?: number;
}

/** A record to be stored. */
export interface NewRecord {
  readonly code: string;
  readonly topic: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What to search for. */
export interface RecordSearch {
  readonly field: "code" | "topic";
  /** The field's value; `*` stands for any run of characters, `\*` for a star. */
  readonly value: string;
  /** Records a page. */
  readonly limit?: number;
  /** Whether to say where on the chain each record is. */
  readonly locations?: boolean;
}

/** Some of the records that match. */
export interface RecordPage {
  readonly events: readonly FoundRecord[];
  /** `undefined` on the last page. */
  readonly next?: string | undefined;
}

interface Call {
  readonly route: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly payload?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The record store API. Only searching and decoding are tried again: a call that replaces a token, or stores, may
 * have had its effect although no answer came.
 */
export class RecordClient {
  readonly #http: Http;
  readonly #retryForMilliseconds: number;

  constructor(url: string, options: RecordClientOptions = {}) {
    this.#http = new Http(url, options);
    this.#retryForMilliseconds = options.retryForMilliseconds ?? RETRY_FOR_MILLISECONDS;
  }

  /** Opens a session; its token is `tparams.tx`. */
  auth(login: string, password: string): Promise<Authenticated> {
    return this.#call(AuthContent, { route: "/api/admin/auth", credentials: { login, password } });
  }

  /** Validates a session; `tparams.tx` replaces the token. */
  validate(token: string): Promise<SessionState> {
    return this.#call(SessionContent, sessionCall("validate", token));
  }

  /** Gives a validated session a fresh lifetime; `tparams.tx` replaces the token. */
  extend(token: string): Promise<SessionState> {
    return this.#call(SessionContent, sessionCall("extend", token));
  }

  /** Ends a session. */
  close(token: string): Promise<Closed> {
    return this.#call(CloseContent, sessionCall("close", token));
  }

  /** Stores a record. */
  store(token: string, record: NewRecord): Promise<StoredRecord> {
    return this.#call(StoreContent, { route: "/api/datastore/event/store", credentials: { token }, payload: record });
  }

  /**
   * The records that match, newest first; pages are asked for as they are needed.
   * @param token The token; as a function, asked anew for every page, for tokens that are replaced meanwhile
   */
  async *search(token: string | (() => string), search: RecordSearch): AsyncGenerator<FoundRecord, void> {
    let cursor: string | undefined;
    do {
      const current = typeof token === "string" ? token : token();
      const { events, next } = await this.page(current, search, cursor);
      yield* events;
      cursor = next;
    } while (cursor !== undefined);
  }

  /** A page of the records that match, and the cursor of the next one. */
  async page(token: string, { field, value, limit, locations }: RecordSearch, cursor?: string): Promise<RecordPage> {
    const search = { target: field === "code" ? "1" : "2", value, limit, cursor, locations };
    const call: Call = { route: "/api/datastore/event/search", credentials: { token }, payload: { search } };
    return (await this.#repeatable(SearchContent, call)).tparams;
  }

  /** What a transaction wrote, from its call data. */
  async decode(token: string, name: "set" | "insert", inputdata: string): Promise<DecodedTransaction> {
    const payload = { function: name, inputdata };
    const call: Call = { route: "/api/datastore/transaction/decode", credentials: { token }, payload };
    return (await this.#repeatable(DecodeContent, call)).tparams.transaction;
  }

  #repeatable<Schema extends z.ZodType>(schema: Schema, call: Call): Promise<z.output<Schema>> {
    return withRetry(() => this.#call(schema, call), { retryForMilliseconds: this.#retryForMilliseconds });
  }

  async #call<Schema extends z.ZodType>(schema: Schema, { headers, ...call }: Call): Promise<z.output<Schema>> {
    const answer = await this.#http.send({
      method: "POST",
      path: "api",
      body: { ...call, method: "GET" },
      ...(headers === undefined ? {} : { headers }),
    });
    return parseAnswer(schema, { ...answer, body: contentOf(answer) });
  }
}

/** These calls carry the token as the cookie too; in a browser, which sets its cookies itself, not. */
function sessionCall(action: "validate" | "extend" | "close", token: string): Call {
  return {
    route: `/api/admin/session/${action}`,
    credentials: { token },
    headers: { Cookie: `svcauth=${encodeURIComponent(token)}` },
  };
}

function contentOf(answer: HttpAnswer): object {
  const parsed = Envelope.safeParse(answer.body);
  if (parsed.success && parsed.data.status === 1) return parsed.data.content;
  const { status, headers } = answer;
  const options = { status, retryAfterSeconds: retryAfterSeconds(headers) };
  if (!parsed.success || parsed.data.status === 1) {
    throw new ClientError("unexpected_answer", `the server answered with status ${status} and no envelope`, options);
  }
  const { code, message, details } = parsed.data.content.error;
  throw new ClientError(code, message, { ...options, details });
}
