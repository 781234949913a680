import type { ChainLink } from "./chain-link.ts";
import { bzip2 } from "../records/bzip2.ts";
import { decodeCallData } from "../records/call-data/call-data.ts";
import { eventLog } from "../records/event-log.ts";
import { keyVault } from "../sessions/scrypt-key-vault.ts";
import { recordChain } from "../records/event-table.ts";
import { SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import type { RecordConfig, SessionConfig } from "../config/config.ts";
import { registrarInTurn } from "./enrolment.ts";
import type { Clock } from "../kit/clock.ts";
import type { Journal, JournalStores } from "./journal.ts";
import type { Telemetry } from "../operations/telemetry.ts";
import type { Transactions } from "../chain/transactions/transactions.ts";
import { RecordService } from "../records/service.ts";
import { AccountService } from "../sessions/account-service.ts";
import { SessionService } from "../sessions/service.ts";
import { rateLimit } from "../http/limits.ts";
import { loginLimit } from "../sessions/login-limit.ts";
import type { RecordRouteDeps } from "../records/routes.ts";
import type { SessionRouteDeps } from "../sessions/routes.ts";
import type { Database } from "../journal/engine/database.ts";
import { recordIndexStore } from "../records/record-index-store.ts";
import { panelFragments } from "../panel/fragments.ts";
import { errorField, type Logger } from "../kit/logger.ts";
import { EventIndexer } from "../records/event-indexer.ts";

export interface RecordStoreDeps {
  readonly config: RecordConfig & SessionConfig;
  readonly dataDirectory: string;
  readonly link: ChainLink;
  readonly database: Database;
  readonly journal: Journal;
  readonly transactions: Transactions;
  readonly telemetry: Telemetry;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly version: string;
  readonly keystoreRounds: number | undefined;
  readonly chainLagMilliseconds: number | undefined;
  readonly liveSessions: () => Promise<number>;
  readonly blockNumber: () => number;
}

/** The record store, put together: accounts, sessions, records, and the record index. */
export interface RecordStoreService {
  readonly api: SessionRouteDeps & RecordRouteDeps;
  readonly records: RecordService<JournalStores>;
  /** Without the administrator's key nobody is enrolled. */
  readonly accounts: AccountService | undefined;
  onHead(blockNumber: number): void;
  /** Settles what was left half done. */
  recover(): Promise<void>;
  stop(): Promise<void>;
}

export function createRecordStore(deps: RecordStoreDeps): RecordStoreService {
  const {
    config,
    dataDirectory,
    link,
    database,
    journal,
    transactions,
    telemetry,
    logger,
    clock,
    version,
    liveSessions,
    keystoreRounds,
    chainLagMilliseconds,
    blockNumber,
  } = deps;
  const { rpc, deployment } = link;
  const { chainWaitMilliseconds } = config;
  const startedAt = Date.now();
  const log = eventLog(rpc, deployment.contracts, deployment.firstBlock, config.tableName, (rowId, reason) =>
    logger.warn({ row_id: rowId.toString(), reason }, "a row on chain is not a record"),
  );
  const indexer = new EventIndexer(
    log,
    recordIndexStore(database, config.tableName),
    ({ kind, ...details }) =>
      logger[kind === "failing" ? "warn" : "info"]({ ...errorField(details) }, `event indexer: ${kind}`),
    chainLagMilliseconds,
  );
  const vault = keyVault(keystoreRounds);
  const sessions = new SessionService({
    journal,
    transactions,
    chain: new SessionRegistryClient(rpc, deployment.contracts.SessionRegistry),
    vault,
    telemetry,
    clock,
    chainWaitMilliseconds,
  });
  const records = new RecordService({
    journal,
    transactions,
    chain: recordChain(config.tableName),
    recordIndex: indexer,
    bzip2,
    telemetry,
    clock,
    chainWaitMilliseconds,
  });
  return {
    records,
    api: {
      sessions,
      records,
      decoder: (inputdata, expected) => decodeCallData(inputdata, expected).transaction,
      serviceLog: journal.serviceLog,
      statistics: async () => ({
        records: await journal.records.count(),
        accounts: await journal.accounts.count(),
        sessions: await liveSessions(),
        block: blockNumber(),
        uptime: Math.floor((Date.now() - startedAt) / 1000),
      }),
      panel: panelFragments(version),
      limitLogins: loginLimit({
        perAddress: config.loginAttemptsPerAddress,
        perSource: config.loginAttemptsPerSource,
        clock,
        telemetry,
      }),
      storesPerAccount: rateLimit(config.storeRate, "records stored by this account"),
    },
    accounts:
      link.administration &&
      new AccountService({
        journal,
        registrar: registrarInTurn(link.administration, dataDirectory),
        vault,
        clock,
      }),
    onHead: (number) => indexer.onHead(number),
    recover: () => sessions.recover(),
    stop: () => indexer.stop(),
  };
}
