import type { Clock } from "../kit/time.ts";
import type { AccountStore } from "./account-store.ts";
import type { Registrar, Scope } from "../chain/contracts/session-registry-client.ts";
import type { KeyVault } from "./key-vault.ts";
import type { Address } from "../chain/transaction.ts";
import { SealbookError } from "../errors.ts";
import { generatePassword } from "./session.ts";

/** Credentials of a new account. The password is stored nowhere else. */
export interface NewAccount {
  readonly login: Address;
  readonly password: string;
  readonly scope: Scope;
}

/** A generated account that is neither in the journal nor enrolled on chain. */
interface PreparedAccount extends NewAccount {
  readonly keystore: string;
  readonly signingKey: Uint8Array;
}

interface AccountServiceDeps {
  readonly accounts: Pick<AccountStore, "find" | "add" | "revoke">;
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
   * Generates an account and enrols it on chain.
   * @param beforeEnrolment Receives the account before it is stored or enrolled
   */
  async create(scope: Scope, beforeEnrolment?: (account: NewAccount) => Promise<void>): Promise<NewAccount> {
    const prepared = await this.prepare(scope);
    const { login, password } = prepared;
    await beforeEnrolment?.({ login, password, scope });
    await this.enrol(prepared);
    return { login, password, scope };
  }

  /**
   * Generates an account's key and password. An interrupted enrolment of the result can be repeated with {@link enrol}.
   */
  async prepare(scope: Scope): Promise<PreparedAccount> {
    const password = generatePassword();
    const { address, keystore, signingKey } = await this.#deps.vault.create(password);
    return { login: address, password, scope, keystore, signingKey };
  }

  /** Enrols a prepared account on chain. Does nothing if the journal already contains the account. */
  async enrol({ login, keystore, scope }: Omit<PreparedAccount, "signingKey">): Promise<void> {
    const { accounts, registrar, clock } = this.#deps;
    if ((await accounts.find(login)) !== undefined) return;
    // Chain before journal: an interruption here leaves an unused enrolment, never a journal account without a
    // password.
    await registrar.enroll(login, scope);
    await accounts.add({ address: login, keystore, scope, createdAt: clock() });
  }

  /**
   * Revokes an account: ends its sessions and rejects further logins.
   * @throws SealbookError `not_found` if the journal does not contain the account, `conflict` if it is not enrolled
   */
  async revoke(address: Address): Promise<void> {
    const { accounts, registrar, clock } = this.#deps;
    const account = await accounts.find(address);
    if (account === undefined) throw new SealbookError("not_found", `account ${address} does not exist`);
    if (!account.enrolled)
      throw new SealbookError(
        "conflict",
        `account ${address} is ${account.revokedAt === undefined ? "not enrolled" : "revoked"}`,
      );
    await registrar.revoke(address);
    await accounts.revoke(address, clock());
  }
}
