import { join } from "node:path";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { Argument, Command, Option } from "commander";
import { getAddress, isAddress } from "ethers";
import { administrationOf, openContracts } from "../../server/composition/chain.ts";
import { keyVault } from "../../server/sessions/key-vault.ts";
import { type Config, parseConfig } from "../../server/config/config.ts";
import { DEMO_ACCOUNT_FILE, holdAdministration } from "../../server/composition/data-folder.ts";
import { AccountService } from "../../server/sessions/account-service.ts";
import { changePassword } from "../account/change-password.ts";
import { updateDemoAccount } from "../../server/sessions/demo-account.ts";
import type { Account } from "../../server/sessions/session.ts";
import { ChainGuard } from "../../server/chain/identity.ts";
import { chainIdentityStore, newestContract } from "../../server/journal/contract-store.ts";
import type { Scope } from "../../server/chain/contracts/session-registry-client.ts";
import { SealbookError } from "../../server/errors.ts";
import { missingFile, openJournalDatabase } from "../../server/composition/journal-database.ts";
import { type AccountStore, accountStore } from "../../server/sessions/account-store.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import type { OperatorWrite } from "../../server/operations/operators/operator-write.ts";
import { assertWritable, writeAsOperator } from "../operator-writer.ts";
import { type JsonOption, printLine, type Terminal } from "./run-command.ts";

/** The administrator's key signs everything here: none of the commands needs a relayer's. */
function configuration(terminal: Terminal): Config {
  return parseConfig(terminal.variables, { relays: false });
}

/** Runs work with access to chain and journal. */
async function withAccounts(terminal: Terminal, work: (accounts: AccountService) => Promise<void>): Promise<void> {
  const config = configuration(terminal);
  await using opened = new AsyncDisposableStack();
  // Prevents concurrent administration, which would start the same chain and use the same nonces.
  const lock = await holdAdministration(config.dataDirectory);
  opened.defer(() => lock.release());
  const link = await openContracts(config.chain, { share: true, onEvent: () => undefined });
  opened.defer(() => link.close());
  const registrar = administrationOf(link, config.chain);
  if (registrar === undefined) {
    throw new SealbookError("config_invalid", "ADMIN_KEY is not set; it is required to enrol and revoke accounts");
  }
  const database = await openJournalDatabase(config.database);
  opened.defer(() => database.destroy());
  // An account is in the journal and in its contracts.
  const guard = await ChainGuard.open(chainIdentityStore(database), await newestContract(database));
  guard.begin(link.deployment.contracts);
  // Before anything is on chain that the journal would lack.
  await assertWritable(config);
  await work(
    new AccountService({ accounts: accountsOf(config, database), registrar, vault: keyVault(), clock: Date.now }),
  );
}

/** Returns the accounts of a journal that another process may write. */
function accountsOf(
  config: Config,
  database: Database,
): Pick<AccountStore, "find" | "add" | "revoke" | "changeKeystore"> {
  const write = async (given: OperatorWrite): Promise<void> => void (await writeAsOperator(config, given));
  return {
    find: (address) => accountStore(database).find(address),
    add: (account) => write({ kind: "account_added", ...account }),
    revoke: (address, revokedAt) => write({ kind: "account_revoked", address, revokedAt }),
    changeKeystore: (address, keystore, changedAt) => write({ kind: "keystore_changed", address, keystore, changedAt }),
  };
}

/** Reads the accounts from the journal, without the chain. */
async function listAccounts(terminal: Terminal): Promise<Account[]> {
  const config = configuration(terminal);
  if (missingFile(config.database) !== undefined) return [];
  const database = await openJournalDatabase(config.database);
  try {
    return await accountStore(database).list();
  } finally {
    await database.destroy();
  }
}

/**
 * Reads a line from the standard input; `undefined` if there is none.
 * @param isSecret What is typed on a terminal is not shown
 */
async function readLine({ stdin, stderr }: Terminal, prompt: string, isSecret: boolean): Promise<string | undefined> {
  if (stdin.isTTY) stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, ...(isSecret ? { output: silent, terminal: stdin.isTTY } : {}) });
  try {
    for await (const line of lines) {
      if (isSecret && stdin.isTTY) stderr.write("\n");
      return line;
    }
    return undefined;
  } finally {
    // An open terminal would keep the process.
    lines.close();
  }
}

/** @throws SealbookError `malformed` unless the answer is yes */
async function confirmRevocation(terminal: Terminal, login: string): Promise<void> {
  const account = (await listAccounts(terminal)).find(({ address }) => address === login);
  // The service refuses to revoke one that is not enrolled.
  if (account?.enrolled !== true) return;
  const prompt = `${login} is never enrolled again: its person then needs a new account. Revoke it? (yes or no) `;
  const answer = await readLine(terminal, prompt, false);
  if (answer?.trim().toLowerCase() === "yes") return;
  throw new SealbookError("malformed", `${login} was not revoked: answer yes, or use --yes`);
}

/** Changes a password, without the chain. */
async function changedPassword(terminal: Terminal, login: string): Promise<string> {
  const config = configuration(terminal);
  const missing = missingFile(config.database);
  if (missing !== undefined) throw new SealbookError("config_invalid", `there is no journal at ${missing}`);
  const oldPassword = await readLine(terminal, "old password: ", true);
  if (oldPassword === undefined)
    throw new SealbookError("malformed", "the password is missing: it is read from the standard input");
  const database = await openJournalDatabase(config.database);
  try {
    const accounts = accountsOf(config, database);
    const password = await changePassword({ accounts, vault: keyVault(), clock: Date.now }, login, oldPassword);
    await updateDemoAccount(join(config.dataDirectory, DEMO_ACCOUNT_FILE), { login, password });
    return password;
  } finally {
    await database.destroy();
  }
}

/** @throws SealbookError `malformed` */
function parseLogin(login: string): string {
  if (!isAddress(login.toLowerCase())) {
    throw new SealbookError("malformed", `"${login}" is not a blockchain address: 0x and 40 hexadecimal digits`);
  }
  return getAddress(login.toLowerCase());
}

function stateOf(account: Account): "enrolled" | "revoked" | "not enrolled" {
  if (account.enrolled) return "enrolled";
  return account.revokedAt === undefined ? "not enrolled" : "revoked";
}

/** Creates the command `account`. */
export function accountCommand(terminal: Terminal): Command {
  const program = new Command("account");

  program
    .command("create")
    .description("create an account and print its login and password, which are not stored")
    .addOption(
      new Option("--scope <scope>", "full, or read (search and decode only)").choices(["full", "read"]).default("full"),
    )
    .option("--json", "print {login, password, scope}")
    .action(async ({ scope, json }: JsonOption & { scope: Scope }) => {
      await withAccounts(terminal, async (accounts) => {
        const account = await accounts.create(scope);
        printLine(
          terminal,
          json === true
            ? JSON.stringify(account)
            : `login     ${account.login}\npassword  ${account.password}\nscope     ${account.scope}`,
        );
      });
    });

  program
    .command("list")
    .description("list the accounts, oldest first")
    .option("--json", "print a list of {login, scope, state, created, revoked}")
    .action(async ({ json }: JsonOption) => {
      const rows = (await listAccounts(terminal)).map((account) => ({
        login: account.address,
        scope: account.scope,
        state: stateOf(account),
        created: new Date(account.createdAt).toISOString(),
        revoked: account.revokedAt === undefined ? null : new Date(account.revokedAt).toISOString(),
      }));
      if (json === true) printLine(terminal, JSON.stringify(rows));
      else
        for (const row of rows)
          printLine(terminal, [row.login, row.scope.padEnd(4), row.state.padEnd(12), row.created].join("  "));
    });

  program
    .command("revoke")
    .description("revoke an account for ever: end its sessions and reject further logins and records")
    .addArgument(new Argument("<login>", "address of the account"))
    .option("--yes", "do not ask")
    .option("--json", "print {login, state}")
    .action(async (login: string, { json, yes }: JsonOption & { readonly yes?: true }) => {
      const address = parseLogin(login);
      if (yes !== true) await confirmRevocation(terminal, address);
      await withAccounts(terminal, async (accounts) => {
        await accounts.revoke(address);
        printLine(
          terminal,
          json === true ? JSON.stringify({ login: address, state: "revoked" }) : `${address} is revoked`,
        );
      });
    });

  program
    .command("password")
    .description("change an account's password: read the old one from the standard input, print a new one")
    .addArgument(new Argument("<login>", "address of the account"))
    .option("--json", "print {login, password}")
    .action(async (text: string, { json }: JsonOption) => {
      const login = parseLogin(text);
      const password = await changedPassword(terminal, login);
      printLine(
        terminal,
        json === true ? JSON.stringify({ login, password }) : `login     ${login}\npassword  ${password}`,
      );
    });

  return program;
}
