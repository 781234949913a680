import type { Address } from "../../server/chain/transaction.ts";
import { SealbookError } from "../../server/errors.ts";
import type { Clock } from "../../server/kit/time.ts";
import type { KeyVault } from "../../server/sessions/key-vault.ts";
import { generatePassword } from "../../server/sessions/session.ts";
import type { AccountStore } from "../../server/sessions/account-store.ts";

/** The person who changes a password is at the machine. */
const SOURCE = "password change";

interface PasswordChangeDeps {
  readonly accounts: Pick<AccountStore, "find" | "changeKeystore">;
  readonly vault: KeyVault;
  readonly clock: Clock;
}

/**
 * Gives an account a new, generated password: encrypts its signing key with it, and ends its sessions.
 * @returns the new password, which is stored nowhere
 * @throws SealbookError `login_refused` if the old password is wrong, or there is no such enrolled account
 */
export async function changePassword(
  { accounts, vault, clock }: PasswordChangeDeps,
  login: Address,
  oldPassword: string,
): Promise<string> {
  const account = await accounts.find(login);
  const signingKey = account?.enrolled === true ? await vault.unlock(account.keystore, oldPassword, SOURCE) : undefined;
  if (signingKey === undefined) throw new SealbookError("login_refused", "login or password is wrong");
  const password = generatePassword();
  await accounts.changeKeystore(login, await vault.encrypt(signingKey, password), clock());
  return password;
}
