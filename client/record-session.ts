import { ClientError } from "./errors.ts";
import type { DecodedTransaction, FoundRecord, StoredRecord } from "./record-schemas.ts";
import type { NewRecord, RecordClient, RecordSearch } from "./records.ts";

/** Whose session it is. */
export interface Login {
  readonly login: string;
  readonly password: string;
}

/**
 * A session of the record store API that lasts as long as it is wanted. Its token is replaced and its lifetime extended
 * by itself, when half of it is over; when that comes too late, for instance after a sleep, it logs in again.
 */
export class RecordSession implements AsyncDisposable {
  readonly #client: RecordClient;
  readonly #login: Login;
  #token = "";
  /** When half of the lifetime is over, by the clock of `performance`. */
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

  /** The token at this moment. */
  get token(): string {
    return this.#token;
  }

  /** Stores a record. */
  store(record: NewRecord): Promise<StoredRecord> {
    return this.#with((token) => this.#client.store(token, record));
  }

  /** The records that match, newest first; pages are asked for as they are needed. */
  async *search(search: RecordSearch): AsyncGenerator<FoundRecord, void> {
    let cursor: string | undefined;
    do {
      const { events, next } = await this.#with((token) => this.#client.page(token, search, cursor));
      yield* events;
      cursor = next;
    } while (cursor !== undefined);
  }

  /** What a transaction wrote, from its call data. */
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
      // What has ended already need not be ended.
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
      // A call that was refused did nothing. The token was replaced on its way, or has ended.
      if (token === this.#token) await this.#renew(() => this.#logIn());
      return call(this.#token);
    }
  }

  /** Replaces the token, once for all who need it. */
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
    // What fails here is tried again by the next call, and told to its caller. Nobody is kept running for it.
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#renew().catch(() => undefined), half).unref();
  }
}

/** Whether it was the token that was refused, or an extension that came too late. */
function isTokenRefused(error: unknown): boolean {
  return error instanceof ClientError && ["token_invalid", "token_expired", "extend_refused"].includes(error.code);
}
