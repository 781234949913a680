import type { Clock } from "../kit/clock.ts";
import type { SessionJournal } from "./stores.ts";
import type { Registrar } from "../chain/contracts/session-registry-client.ts";
import type { KeyVault } from "./key-vault.ts";
import type { Address } from "../chain/transaction.ts";
import { SealbookError } from "../errors.ts";
import { generatePassword } from "./password.ts";
import type { Scope } from "../chain/contracts/session-registry-client.ts";

/** What a new account's holder needs to log in; the password is nowhere else. */
export interface NewAccount {
  readonly login: Address;
  readonly password: string;
  readonly scope: Scope;
}

/** An account whose key is made and of which nothing else knows yet. */
export interface PreparedAccount extends NewAccount {
  readonly keystore: string;
  readonly signingKey: Uint8Array;
}

/** What the service needs. */
export interface AccountServiceDeps {
  readonly journal: SessionJournal;
  readonly registrar: Registrar;
  readonly vault: KeyVault;
  readonly clock: Clock;
}

/** Enrols and revokes accounts. */
export class AccountService {
  readonly #deps: AccountServiceDeps;

  constructor(deps: AccountServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Makes an account and enrols it on chain.
   * @param beforeEnrolment is given the account when its key is made and before anything else knows of it
   */
  async create(scope: Scope, beforeEnrolment?: (account: NewAccount) => Promise<void>): Promise<NewAccount> {
    const prepared = await this.prepare(scope);
    const { login, password } = prepared;
    await beforeEnrolment?.({ login, password, scope });
    await this.enrol(prepared);
    return { login, password, scope };
  }

  /** Makes an account's key and password. What keeps them can enrol the account as often as it is interrupted. */
  async prepare(scope: Scope): Promise<PreparedAccount> {
    const password = generatePassword();
    const { address, keystore, signingKey } = await this.#deps.vault.create(password);
    return { login: address, password, scope, keystore, signingKey };
  }

  /** Enrols a prepared account on chain; nothing happens to one that is in the journal already. */
  async enrol({ login, keystore, scope }: Omit<PreparedAccount, "signingKey">): Promise<void> {
    const { journal, registrar, clock } = this.#deps;
    if ((await journal.accounts.find(login)) !== undefined) return;
    // The chain first: an account that is interrupted here is one that nobody knows of, instead of one without password.
    await registrar.enroll(login, scope);
    await journal.atomically(async ({ accounts }) => {
      await accounts.insert({ address: login, keystore, scope, createdAt: clock() });
      await accounts.follow(login, { enrolled: true, scope });
    });
  }

  /**
   * Revokes an account: it cannot log in again, and its sessions are over.
   * @throws SealbookError `not_found` for an account that is not in the journal
   */
  async revoke(address: Address): Promise<void> {
    const { journal, registrar, clock } = this.#deps;
    const account = await journal.accounts.find(address);
    if (account === undefined) throw new SealbookError("not_found", `there is no account ${address}`);
    if (!account.enrolled) throw new SealbookError("conflict", `account ${address} is not enrolled`);
    await registrar.revoke(address);
    await journal.accounts.follow(address, { enrolled: false, revokedAt: clock() });
  }
}
