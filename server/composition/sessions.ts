import { SessionRegistryClient, type Registrar } from "../chain/contracts/session-registry-client.ts";
import { rateLimit } from "../http/rate-limit.ts";
import { panelFragments } from "../panel/fragments.ts";
import { AccountService } from "../sessions/account-service.ts";
import { loginLimit } from "../sessions/login-limit.ts";
import { knownSources, loginFailureStore } from "../sessions/login-store.ts";
import type { SessionRouteDeps } from "../sessions/routes.ts";
import { keyVault } from "../sessions/key-vault.ts";
import { SessionService } from "../sessions/service.ts";
import { TokenChanges } from "../sessions/token-changes.ts";
import type { Context } from "./context.ts";
import type { RelayerTransactions } from "./transactions.ts";
import { holdAdministration } from "./data-folder.ts";

export type Sessions = ReturnType<typeof createSessions>;

/** Builds the accounts and sessions of the record store. */
export function createSessions(context: Context, { sender: transactions }: RelayerTransactions) {
  const { version, opened, database, journal, link, head, metrics, telemetry, clock } = context;
  const { sessions: config, dataDirectory, telegram } = context.config;
  const vault = keyVault(context.overrides.keystoreRounds);
  const chain = new SessionRegistryClient(link.rpc, link.deployment.contracts.SessionRegistry);
  const { chainWaitMilliseconds } = config;
  const changes = new TokenChanges({ journal, transactions, chain, clock, chainWaitMilliseconds });
  const sessions = new SessionService({
    journal,
    changes,
    chain,
    vault,
    telemetry,
    clock,
  });
  const live = (): Promise<number> => journal.sessions.countLive(Math.floor(clock() / 1000));
  metrics.gauge("sealbook_sessions_live", "Sessions that are live", live);
  const routeDeps: SessionRouteDeps = {
    sessions,
    replacementsPerAccount: rateLimit(config.rate, "replacements", "validations and extensions of this account"),
    serviceLog: journal.serviceLog,
    statistics: async () => ({
      records: await journal.records.count(),
      accounts: await journal.accounts.count(),
      sessions: await live(),
      block: head.head?.number ?? 0,
      uptime: Math.floor((performance.now() - opened.startedAt) / 1000),
    }),
    panel: panelFragments(version, telegram !== undefined),
    limitLogins: loginLimit({
      perAddress: config.loginAttemptsPerAddress,
      perSource: config.loginAttemptsPerSource,
      failures: loginFailureStore(database, { clock }),
      knownSources: knownSources(database),
      clock,
      telemetry,
    }),
  };
  const registrar = link.administration && registrarInTurn(link.administration, dataDirectory);
  // With the administrator's key only: without it no account can be enrolled.
  const accounts = registrar && new AccountService({ accounts: journal.accounts, registrar, vault, clock });
  return { sessions, changes, routeDeps, accounts };
}

/**
 * Returns a registrar that locks the administration for each transaction: the administrator's nonces come from the
 * chain, so that two transactions at a time, of this process or of a command, would get the same nonce.
 */
function registrarInTurn(registrar: Registrar, dataDirectory: string): Registrar {
  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    const lock = await holdAdministration(dataDirectory);
    try {
      await work();
    } finally {
      lock.release();
    }
  };
  return {
    enroll: (account, scope) => inTurn(() => registrar.enroll(account, scope)),
    revoke: (account) => inTurn(() => registrar.revoke(account)),
  };
}
