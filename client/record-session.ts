import { ClientError } from "./errors.ts";
import { newIdempotencyKey } from "./idempotency-key.ts";
import type { DecodedTransaction, StoreContent } from "../server/records/responses.ts";
import type { FoundRecord, NewRecord, RecordClient, RecordSearch } from "./records.ts";

/** The credentials of an account. */
export interface Login {
  readonly login: string;
  readonly password: string;
}

/**
 * A session of the record store API that stays open until it is closed. It replaces its token and extends its lifetime
 * after half of the lifetime; when that is too late, for instance after a sleep, it logs in again.
 */
export class RecordSession implements AsyncDisposable {
  readonly #client: RecordClient;
  readonly #login: Login;
  #token = "";
  /** The time of the renewal, by the clock of `performance`. */
  #dueAt = 0;
  #renewal: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(client: RecordClient, login: Login) {
    this.#client = client;
    this.#login = login;
  }

  /**
   * Logs in.
   * @throws ClientError `login_refused`
   */
  static async open(client: RecordClient, login: Login): Promise<RecordSession> {
    const session = new RecordSession(client, login);
    await session.#logIn();
    return session;
  }

  /** The current token. */
  get token(): string {
    return this.#token;
  }

  /**
   * Stores a record.
   * @param key With the same idempotency key, the same record is stored once within 24 hours
   */
  store(record: NewRecord, key: string = newIdempotencyKey()): Promise<StoreContent> {
    return this.#with(() => this.#client.store(() => this.#token, record, key));
  }

  /** Searches records, newest first, and fetches pages on demand. */
  async *search(search: RecordSearch): AsyncGenerator<FoundRecord, void> {
    let cursor: string | undefined;
    do {
      const { events, next } = await this.#with((token) => this.#client.page(token, search, cursor));
      yield* events;
      cursor = next;
    } while (cursor !== undefined);
  }

  /** Decodes the call data of a transaction. */
  decode(name: "set" | "insert", inputdata: string): Promise<DecodedTransaction> {
    return this.#with((token) => this.#client.decode(token, name, inputdata));
  }

  /** Ends the session. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#renewal?.catch(() => undefined);
    clearTimeout(this.#timer);
    try {
      await this.#client.close(this.#token);
    } catch (error) {
      // The session has ended already.
      if (!isTokenRefused(error)) throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #with<T>(call: (token: string) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ClientError("token_invalid", "the session was closed");
    if (performance.now() >= this.#dueAt) await this.#renew();
    else await this.#renewal;
    const token = this.#token;
    try {
      return await call(token);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      // A refused call has no effect: the token was replaced while it was in flight, or has expired.
      if (token === this.#token) await this.#renew(() => this.#logIn());
      return call(this.#token);
    }
  }

  /** Replaces the token; concurrent callers share one renewal. */
  #renew(how: () => Promise<void> = () => this.#extend()): Promise<void> {
    this.#renewal ??= how().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #extend(): Promise<void> {
    try {
      const { tryextend, tparams } = await this.#client.validate(this.#token);
      this.#token = tparams.tx;
      if (!tryextend) return await this.#logIn();
      const extended = (await this.#client.extend(this.#token)).tparams;
      this.#begin(extended.tx, extended.session);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      await this.#logIn();
    }
  }

  async #logIn(): Promise<void> {
    const { tx, session } = (await this.#client.auth(this.#login.login, this.#login.password)).tparams;
    this.#begin(tx, session);
  }

  #begin(token: string, seconds: number): void {
    this.#token = token;
    const half = (seconds * 1000) / 2;
    this.#dueAt = performance.now() + half;
    clearTimeout(this.#timer);
    // The next call retries a failed renewal and reports its error. The timer does not keep the process alive.
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#renew().catch(() => undefined), half).unref();
  }
}

/** Whether the server refused the token, or a late extension. */
function isTokenRefused(error: unknown): boolean {
  return error instanceof ClientError && ["token_invalid", "token_expired", "extend_refused"].includes(error.code);
}
