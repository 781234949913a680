import type { Clock, Journal, KeyVault, Registrar } from "../ports.ts";
import type { Address } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";
import { generatePassword } from "./password.ts";
import type { Scope } from "./session.ts";

/** What a new account's holder needs to log in; the password is nowhere else. */
export interface NewAccount {
  readonly login: Address;
  readonly password: string;
  readonly scope: Scope;
}

/** What the service needs. */
export interface AccountServiceParts {
  readonly journal: Journal;
  readonly registrar: Registrar;
  readonly vault: KeyVault;
  readonly clock: Clock;
}

/** Enrols and revokes accounts. */
export class AccountService {
  readonly #parts: AccountServiceParts;

  constructor(parts: AccountServiceParts) {
    this.#parts = parts;
  }

  /**
   * Makes an account and enrols it on chain.
   * @param beforeEnrolment is given the account when its key is made and before anything else knows of it
   */
  async create(scope: Scope, beforeEnrolment?: (account: NewAccount) => Promise<void>): Promise<NewAccount> {
    const { journal, registrar, vault, clock } = this.#parts;
    const password = generatePassword();
    const { address, keystore } = await vault.create(password);
    const account = { login: address, password, scope };
    await beforeEnrolment?.(account);
    // The chain first: an account that is interrupted here is one that nobody knows of, instead of one without password.
    await registrar.enroll(address, scope);
    await journal.atomically(async ({ accounts }) => {
      await accounts.insert({ address, keystore, scope, createdAt: clock() });
      await accounts.follow(address, { enrolled: true, scope });
    });
    return account;
  }

  /**
   * Revokes an account: it cannot log in again, and its sessions are over.
   * @throws SealbookError `not_found` for an account that is not in the journal
   */
  async revoke(address: Address): Promise<void> {
    const { journal, registrar, clock } = this.#parts;
    const account = await journal.accounts.find(address);
    if (account === undefined) throw new SealbookError("not_found", `there is no account ${address}`);
    if (!account.enrolled) throw new SealbookError("conflict", `account ${address} is not enrolled`);
    await registrar.revoke(address);
    await journal.accounts.follow(address, { enrolled: false, revokedAt: clock() });
  }
}
