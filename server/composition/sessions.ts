import { SessionRegistryClient, type Registrar } from "../chain/contracts/session-registry-client.ts";
import type { Transactions } from "../chain/transactions/transactions.ts";
import type { SessionConfig } from "../config/config.ts";
import { rateLimit } from "../http/limits.ts";
import { panelFragments } from "../panel/fragments.ts";
import { AccountService } from "../sessions/account-service.ts";
import { loginLimit } from "../sessions/login-limit.ts";
import { knownSources, loginFailureStore } from "../sessions/login-store.ts";
import type { SessionRouteDeps } from "../sessions/routes.ts";
import { keyVault } from "../sessions/key-vault.ts";
import { SessionService } from "../sessions/service.ts";
import type { Foundation } from "./foundation.ts";
import { holdAdministration } from "./data-folder.ts";

/** Accounts and sessions of the record store. */
export interface Sessions {
  readonly sessions: SessionService;
  readonly routeDeps: SessionRouteDeps;
  /** With the administrator's key only: without it no account can be enrolled. */
  readonly accounts: AccountService | undefined;
}

export interface SessionOptions {
  readonly config: SessionConfig;
  readonly dataDirectory: string;
  readonly transactions: Transactions;
  /** scrypt's N for new keystores. */
  readonly keystoreRounds: number | undefined;
  /** Whether the server runs the Telegram bot. */
  readonly hasBot: boolean;
}

export function createSessions(
  { version, database, journal, link, head, metrics, telemetry, clock }: Foundation,
  { config, dataDirectory, transactions, keystoreRounds, hasBot }: SessionOptions,
): Sessions {
  const startedAt = performance.now();
  const vault = keyVault(keystoreRounds);
  const sessions = new SessionService({
    journal,
    transactions,
    chain: new SessionRegistryClient(link.rpc, link.deployment.contracts.SessionRegistry),
    vault,
    telemetry,
    clock,
    limitReplacements: rateLimit(config.sessionRate, "validations and extensions of this account"),
    chainWaitMilliseconds: config.chainWaitMilliseconds,
  });
  const live = (): Promise<number> => journal.sessions.countLive(Math.floor(clock() / 1000));
  metrics.gauge("sealbook_sessions_live", "Sessions that are live", live);
  const routeDeps: SessionRouteDeps = {
    sessions,
    serviceLog: journal.serviceLog,
    statistics: async () => ({
      records: await journal.records.count(),
      accounts: await journal.accounts.count(),
      sessions: await live(),
      block: head.head?.number ?? 0,
      uptime: Math.floor((performance.now() - startedAt) / 1000),
    }),
    panel: panelFragments(version, hasBot),
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
  return { sessions, routeDeps, accounts: registrar && new AccountService({ journal, registrar, vault, clock }) };
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
