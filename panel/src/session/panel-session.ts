import { batch, signal } from "@preact/signals";
import { ClientError, isTransient } from "../../../client/errors.ts";
import { newIdempotencyKey } from "../../../client/idempotency-key.ts";
import { pause } from "../../../client/pause.ts";
import type { RecordClient } from "../../../client/records.ts";
import { isBlocked } from "../components/blocking.ts";
import type { Activity } from "./activity.ts";
import type { OpenSession, SessionStore } from "./session-store.ts";
import type { TokenLock } from "./token-lock.ts";

/** Reasons why a session ended. */
export type Ending = "closed" | "closed_elsewhere" | "expired" | "idle" | "rejected";

/** Time without a use of the panel after which the session is no longer extended: each extension is a transaction. */
export const IDLE_MINUTES = 10;
/** Part of a session's lifetime before its renewal: early enough for a slow chain. */
const RENEWED_AFTER = 1 / 3;
/**
 * Maximum time for which a call delays a replacement of the token: by then the server has checked it, even if the call
 * continues.
 */
const LONGEST_USE_MILLISECONDS = 5_000;

/**
 * The session of this browser. The first tab that is due validates and extends its token; the other tabs adopt the new
 * one. The password is not stored: an ended session cannot be reopened.
 */
export class PanelSession {
  /** The session, while one is open. */
  readonly current = signal<OpenSession | undefined>(undefined);
  /** The end of the last session. */
  readonly ending = signal<Ending | undefined>(undefined);
  /** The session's secure key; `undefined` until a response contains it. */
  readonly secureKey = signal<string | undefined>(undefined);
  /** Whether the server was unreachable when the token was due for replacement. */
  readonly isUnreachable = signal(false);
  /** Whether the session is not extended because nobody uses the panel. */
  readonly isPaused = signal(false);
  readonly #client: RecordClient;
  readonly #store: SessionStore;
  readonly #lock: TokenLock;
  readonly #activity: Activity;
  #renewal: Promise<void> | undefined;

  constructor(client: RecordClient, store: SessionStore, lock: TokenLock, activity: Activity) {
    this.#client = client;
    this.#store = store;
    this.#lock = lock;
    this.#activity = activity;
    this.#follow();
    store.onChange(() => this.#follow());
    activity.onUse(() => this.tick());
  }

  /**
   * Opens a session and waits for the chain.
   * @throws ClientError `login_refused`
   */
  async logIn(login: string, password: string): Promise<void> {
    const { tparams } = await this.#client.auth(login, password);
    const { addr, scope, session, tx, pkey, stats, svclogs } = tparams;
    this.secureKey.value = pkey;
    this.#set({
      account: addr,
      scope,
      atLogin: { statistics: stats, log: svclogs },
      openedAt: Date.now(),
      ...fresh(tx, session),
    });
  }

  /** Ends the session. */
  async logOut(): Promise<void> {
    await this.#lock.replace(async () => {
      const session = this.#store.read();
      if (session === undefined) return;
      try {
        await this.#client.close(session.token);
      } catch (error) {
        // The session has ended already.
        if (!isTokenRejected(error)) throw error;
      }
      this.#end("closed");
    });
  }

  /**
   * Makes a call with the current token, after any replacement in flight.
   * @throws ClientError The error of the call; an error that proves the end of the session also ends it here
   */
  async call<T>(make: (token: string) => Promise<T>): Promise<T> {
    for (;;) {
      await this.#completePending();
      const { token, response } = await this.#lock.use(async () => {
        const { token } = this.#store.read() ?? {};
        if (token === undefined) throw new ClientError("token_invalid", "there is no session");
        const response = make(token);
        await Promise.race([response.catch(() => undefined), pause(LONGEST_USE_MILLISECONDS)]);
        // An object, because a bare promise would be awaited.
        return { token, response };
      });
      try {
        return await response;
      } catch (error) {
        if (!isTokenRejected(error)) throw error;
        // A rejected call had no effect.
        if (await this.#isReplaced(token)) continue;
        this.#end("rejected");
        throw error;
      }
    }
  }

  /** Performs the operations that are due; called every second. */
  tick(): void {
    const session = this.#store.read();
    if (session === undefined) return;
    const time = Date.now();
    const isIdle = time - this.#activity.lastUse() > IDLE_MINUTES * 60_000;
    if (time >= session.endsAt) return this.#end(this.isPaused.value ? "idle" : "expired");
    this.isPaused.value = isIdle;
    if (isIdle) return;
    const isPending = session.pending !== undefined;
    if (isPending || (session.renewAt !== null && time >= session.renewAt)) void this.renew();
  }

  /** Completes a replacement of the token that a page began and was left in. */
  async #completePending(): Promise<void> {
    if (this.#store.read()?.pending === undefined) return;
    await this.renew();
    if (this.#store.read()?.pending !== undefined)
      throw new ClientError("unreachable", "the server does not respond to the replacement of the token");
  }

  /** Replaces the token, and extends the session when it is due; concurrent callers share one renewal. */
  renew(): Promise<void> {
    this.#renewal ??= this.#replaceToken(this.#store.read()?.token).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** @param seen The token to replace: another tab may be faster */
  async #replaceToken(seen: string | undefined): Promise<void> {
    isBlocked.value = true;
    try {
      await this.#lock.replace(async () => {
        const session = this.#store.read();
        if (session === undefined || session.token !== seen) return;
        if (session.pending?.call === "extend") return this.#extend(session);
        const validated = await this.#validate(session);
        if (validated !== undefined) await this.#extend(validated);
      });
    } catch (error) {
      this.isUnreachable.value = isTransient(error);
      if (!isTokenRejected(error)) {
        if (!this.isUnreachable.value) this.#stopRenewal();
      } else if (!(await this.#isReplaced(seen))) this.#end("rejected");
    } finally {
      isBlocked.value = false;
    }
  }

  /** @returns The session with its new token; `undefined` when it cannot be extended */
  async #validate(session: OpenSession): Promise<OpenSession | undefined> {
    const key = this.#begin(session, "validate");
    const { tparams, tryextend } = await this.#client.validate(session.token, key);
    this.isUnreachable.value = false;
    this.secureKey.value = tparams.pkey;
    const endsAt = Date.now() + tparams.session * 1000;
    const renewAt = tryextend ? Date.now() : null;
    const validated = { ...session, token: tparams.tx, endsAt, renewAt, pending: undefined };
    this.#set(validated);
    return tryextend ? validated : undefined;
  }

  async #extend(session: OpenSession): Promise<void> {
    const key = this.#begin(session, "extend");
    const { tparams } = await this.#client.extend(session.token, key);
    this.isUnreachable.value = false;
    this.secureKey.value = tparams.pkey;
    this.#set({ ...session, ...fresh(tparams.tx, tparams.session) });
  }

  /** Stores a replacement of the token before its call, so that another page can repeat it when this one is left. */
  #begin(session: OpenSession, call: "validate" | "extend"): string {
    if (session.pending?.call === call) return session.pending.key;
    const key = newIdempotencyKey();
    this.#set({ ...session, pending: { call, key } });
    return key;
  }

  /** Whether a rejected token is no longer the session's: the token of another tab can arrive late. */
  async #isReplaced(token: string | undefined): Promise<boolean> {
    for (const until = Date.now() + this.#store.lag; ; await pause(100)) {
      const session = this.#store.read();
      if (session?.token !== token || Date.now() >= until) return session !== undefined && session.token !== token;
    }
  }

  /** Keeps a session that cannot be extended until it expires. */
  #stopRenewal(): void {
    const session = this.#store.read();
    if (session !== undefined) this.#set({ ...session, renewAt: null, pending: undefined });
  }

  #set(session: OpenSession): void {
    this.#store.write(session);
    this.#follow();
  }

  #end(ending: Ending): void {
    batch(() => {
      this.#store.write(undefined);
      this.current.value = undefined;
      this.ending.value = ending;
      this.secureKey.value = undefined;
      this.isUnreachable.value = false;
      this.isPaused.value = false;
    });
  }

  /** Adopts the state that this or another tab has written. */
  #follow(): void {
    const session = this.#store.read();
    batch(() => {
      if (session !== undefined) this.ending.value = undefined;
      else if (this.current.value !== undefined)
        this.ending.value = this.current.value.endsAt <= Date.now() ? "expired" : "closed_elsewhere";
      if (session?.openedAt !== this.current.value?.openedAt && this.current.value !== undefined)
        this.secureKey.value = undefined;
      this.current.value = session;
    });
  }
}

function fresh(token: string, seconds: number): Pick<OpenSession, "token" | "endsAt" | "renewAt" | "pending"> {
  const time = Date.now();
  return { token, endsAt: time + seconds * 1000, renewAt: time + seconds * 1000 * RENEWED_AFTER, pending: undefined };
}

function isTokenRejected(error: unknown): boolean {
  return error instanceof ClientError && ["token_invalid", "token_expired"].includes(error.code);
}
