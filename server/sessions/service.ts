import type { Clock } from "../kit/time.ts";
import type { SessionJournal } from "./store.ts";
import { accountOf, sessionIdOf, type SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import { decryptKeys, encryptKeys, type KeyVault, type SessionKeys, wrapSecureKey } from "./key-vault.ts";
import type { SessionEvents } from "./events.ts";
import type { Address, ContractCall } from "../chain/transaction.ts";
import { SealbookError } from "../errors.ts";
import { prefixedHex } from "../kit/bytes.ts";
import { LiveTokens, type Use } from "./live-tokens.ts";
import { type Account, parseToken, randomKey, type Session, successorOf, tokenHash } from "./session.ts";
import type { Scope } from "../chain/contracts/session-registry-client.ts";
import { MAX_CALL_MILLISECONDS, type Replaced, type TokenChanges } from "./token-changes.ts";

type SessionReads = "rules" | "isLive" | "sessionOf";

export interface SessionServiceDeps {
  readonly journal: SessionJournal;
  readonly changes: TokenChanges;
  readonly chain: Pick<SessionRegistryClient, SessionReads | "openCall" | "validateCall" | "extendCall" | "closeCall">;
  readonly vault: KeyVault;
  readonly telemetry: SessionEvents;
  readonly clock: Clock;
}

/** State of a session after a call. */
export interface SessionView {
  readonly account: Address;
  readonly scope: Scope;
  /** The current token. */
  readonly token: Uint8Array;
  readonly secureKey: Uint8Array;
  /** Remaining lifetime of the token in whole seconds. */
  readonly remaining: number;
  /** Whether the session can be extended now. */
  readonly extendable: boolean;
}

/** An accepted token with its session, account and keys. */
export interface Authorized extends SessionKeys {
  readonly session: Session;
  readonly account: Account;
  readonly token: Uint8Array;
}

/** Counts a replacement of an account's token; throws SealbookError `too_many_requests`. */
type Limit = (account: Address) => Promise<void>;

type Change = "validated" | "extended" | "closed";

const LOGIN_REFUSED = "login or password is wrong";

/**
 * Manages sessions. The registry contract decides; the journal stores its decisions, so that sessions survive a
 * restart of the server. The server holds a token only for the duration of a call.
 */
export class SessionService {
  readonly #deps: SessionServiceDeps;
  readonly #tokens: LiveTokens;

  constructor(deps: SessionServiceDeps) {
    this.#deps = deps;
    this.#tokens = new LiveTokens(deps);
  }

  /**
   * Opens a session.
   * @param login Address of the account, checksummed
   * @param source The caller
   * @throws SealbookError `login_refused`, identical for an unknown login and a wrong password
   */
  async authenticate(login: Address, password: string, source: string): Promise<SessionView> {
    const { journal, vault, chain, telemetry } = this.#deps;
    const account = await journal.accounts.find(login);
    if (account === undefined || !account.enrolled) {
      await vault.unlockDecoy(password, source);
      telemetry.loginRefused(login, account !== undefined);
      throw new SealbookError("login_refused", LOGIN_REFUSED);
    }
    const signingKey = await vault.unlock(account.keystore, password, source);
    if (signingKey === undefined) {
      telemetry.loginRefused(login, true);
      throw new SealbookError("login_refused", LOGIN_REFUSED);
    }

    const token = randomKey();
    const keys = { secureKey: randomKey(), signingKey };
    const hash = tokenHash(token);
    const id = sessionIdOf(account.address, hash);
    const deadline = seconds(this.#deps.clock() + MAX_CALL_MILLISECONDS);
    const call = chain.openCall({ account: account.address, tokenHash: hash, deadline }, signingKey);
    const transactionId = await journal.atomically(async (atomic) => {
      await atomic.sessions.deleteBefore(seconds(this.#deps.clock()) - RETENTION_SECONDS);
      const transaction = await atomic.intents.insert(call);
      await atomic.sessions.insert({
        tokenHash: hash,
        id,
        account: account.address,
        state: "opening",
        expiresAt: 0,
        validated: false,
        ...encryptKeys(token, keys),
        transactionId: transaction,
      });
      return transaction;
    });
    await this.#deps.changes.mined(transactionId, hash);
    const view = await this.#live(account, { id, token, secureKey: keys.secureKey });
    telemetry.loggedIn(account.address);
    return view;
  }

  /**
   * Checks a token, and decrypts its keys. Presenting a replaced token does not affect the live session. The registry
   * contract has the last word: who can write to the database invents no session, and makes no token live again.
   * @throws SealbookError `token_invalid`, `token_expired`, `chain_unavailable`
   */
  async authorize(presented: string, use: Use | "replacing"): Promise<Authorized> {
    const { journal, clock } = this.#deps;
    const token = parseToken(presented);
    const session = await journal.sessions.find(tokenHash(token));
    if (session === undefined) throw new SealbookError("token_invalid", "the token is unknown");
    if (session.state === "ended" || session.state === "opening") {
      throw new SealbookError("token_invalid", "the token was replaced or its session closed");
    }
    if (session.expiresAt <= seconds(clock())) throw new SealbookError("token_expired", "the token has expired");
    const account = await this.#accountOf(session);
    if (accountOf(session.id) !== session.account)
      throw new SealbookError("token_invalid", "the session is not one of this account");
    // The contract refuses the call of a token that is not live.
    if (use !== "replacing") await this.#tokens.assertLive(session, use);
    return { session, account, token, ...decryptKeys(token, session) };
  }

  async #accountOf(session: Session): Promise<Account> {
    const account = await this.#deps.journal.accounts.find(session.account);
    if (account === undefined || !account.enrolled)
      throw new SealbookError("token_invalid", "the account of this token was revoked");
    return account;
  }

  /**
   * Replaces the token and marks the session as validated. Does not change the expiry.
   * @param limit Counts replacements of an account; the token remains valid when it refuses
   * @param key With the client's idempotency key, a repeated call has the same successor until that is replaced
   */
  async validate(presented: string, limit: Limit, key?: string): Promise<SessionView> {
    const call = key && `validate ${key}`;
    return this.#repeatable(presented, call, () => this.#validate(presented, limit, call));
  }

  /**
   * Replaces the token and restarts the session's lifetime.
   * @param limit As for {@link validate}
   * @param key As for {@link validate}
   * @throws SealbookError `extend_refused` if the session is not validated or expires too soon
   */
  async extend(presented: string, limit: Limit, key?: string): Promise<SessionView> {
    const call = key && `extend ${key}`;
    return this.#repeatable(presented, call, () => this.#extend(presented, limit, call));
  }

  async #validate(presented: string, limit: Limit, key: string | undefined): Promise<SessionView> {
    const { chain } = this.#deps;
    const authorized = await this.authorize(presented, "replacing");
    await limit(authorized.account.address);
    return this.#replace(authorized, "validated", key, (session, next) => chain.validateCall(session, next));
  }

  async #extend(presented: string, limit: Limit, key: string | undefined): Promise<SessionView> {
    const { chain, clock } = this.#deps;
    const authorized = await this.authorize(presented, "replacing");
    const { validated, expiresAt } = authorized.session;
    if (!validated) throw new SealbookError("extend_refused", "the session has to be validated before it is extended");
    const { minimumToExtend } = await chain.rules();
    const remaining = expiresAt - seconds(clock());
    if (remaining <= minimumToExtend) {
      throw new SealbookError(
        "extend_refused",
        `${remaining} s are left; an extension needs more than ${minimumToExtend}`,
      );
    }
    await limit(authorized.account.address);
    return this.#replace(authorized, "extended", key, (session, next) => chain.extendCall(session, next));
  }

  /** Ends the session. */
  async close(presented: string): Promise<{ account: Address }> {
    const { chain, telemetry } = this.#deps;
    const { session, account } = await this.authorize(presented, "replacing");
    this.#tokens.delete(session.tokenHash);
    const transactionId = await this.#deps.changes.begin(session, chain.closeCall(session));
    const { number } = await this.#deps.changes.mined(transactionId, undefined, session.tokenHash);
    await this.#deps.journal.sessions.transition(session.tokenHash, "replacing", { state: "ended" });
    // What the database says of the transaction closes nothing.
    if ((await chain.sessionOf(session.id, number))?.ended !== true)
      throw new SealbookError("chain_unavailable", "the chain does not show yet that the session is closed");
    telemetry.sessionChanged(account.address, "closed");
    return { account: account.address };
  }

  /** Deletes the keys of expired tokens: an old token and a copy of the database do not give the account's key. */
  async forgetExpiredKeys(): Promise<void> {
    await this.#deps.journal.sessions.forgetKeysBefore(seconds(this.#deps.clock()));
  }

  /** Makes a call unless it was made before with the same key; then returns the session as it is now. */
  async #repeatable(
    presented: string,
    key: string | undefined,
    call: () => Promise<SessionView>,
  ): Promise<SessionView> {
    if (key === undefined) return call();
    const earlier = await this.#repeat(presented, key);
    if (earlier !== undefined) return earlier;
    try {
      return await call();
    } catch (error) {
      // The same call can arrive twice at the same time.
      const other =
        error instanceof SealbookError && error.code === "token_invalid"
          ? await this.#repeat(presented, key)
          : undefined;
      if (other === undefined) throw error;
      return other;
    }
  }

  /** Returns the session of a token's successor; `undefined` if no call had this key. */
  async #repeat(presented: string, key: string): Promise<SessionView | undefined> {
    const { journal } = this.#deps;
    const replaced = parseToken(presented);
    const session = await journal.sessions.find(tokenHash(replaced));
    if (session === undefined || session.wrappedSecureKey.length === 0) return undefined;
    const { secureKey } = decryptKeys(replaced, session);
    const token = successorOf(replaced, secureKey, key);
    const successor = await journal.sessions.find(tokenHash(token));
    if (successor === undefined) return undefined;
    if (successor.state === "opening")
      await this.#deps.changes.mined(successor.transactionId, successor.tokenHash, session.tokenHash);
    else await this.authorize(prefixedHex(token), "reading");
    const account = await this.#accountOf(session);
    return this.#live(account, { id: session.id, token, secureKey }, { tokenHash: session.tokenHash, keepsKeys: true });
  }

  async #replace(
    { session, account, secureKey, token: replaced }: Authorized,
    change: Change,
    key: string | undefined,
    call: (session: Session, newTokenHash: Uint8Array) => ContractCall,
  ): Promise<SessionView> {
    const token = key === undefined ? randomKey() : successorOf(replaced, secureKey, key);
    const hash = tokenHash(token);
    this.#tokens.delete(session.tokenHash);
    const transactionId = await this.#deps.changes.begin(session, call(session, hash), {
      ...session,
      tokenHash: hash,
      state: "opening",
      wrappedSecureKey: wrapSecureKey(token, secureKey),
    });
    await this.#deps.changes.mined(transactionId, hash, session.tokenHash);
    const view = await this.#live(
      account,
      { id: session.id, token, secureKey },
      // A repeated call derives its successor from the keys.
      { tokenHash: session.tokenHash, keepsKeys: key !== undefined },
    );
    this.#deps.telemetry.sessionChanged(account.address, change);
    return view;
  }

  /** Activates a new token; returns its session. */
  async #live(
    account: Account,
    { id, token, secureKey }: { readonly id: Uint8Array; readonly token: Uint8Array; readonly secureKey: Uint8Array },
    replaced?: Replaced,
  ): Promise<SessionView> {
    const { changes, clock } = this.#deps;
    const hash = tokenHash(token);
    const askedAt = clock();
    const { expiresAt, validated, isLive, rules } = await changes.activate({ id, tokenHash: hash }, replaced);
    if (isLive) this.#tokens.add(hash, askedAt, expiresAt);
    const remaining = Math.max(0, expiresAt - seconds(this.#deps.clock()));
    return {
      account: account.address,
      scope: account.scope,
      token,
      secureKey,
      // Block times are whole seconds, so a new session can be up to one second younger than its block time.
      remaining: validated ? remaining : Math.min(rules.lifetime, remaining + 1),
      extendable: validated && remaining > rules.minimumToExtend,
    };
  }
}

/** Retention of ended sessions, which distinguishes expired from unknown tokens. */
const RETENTION_SECONDS = 7 * 24 * 3600;

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
