import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ZeroAddress } from "ethers";
import { createAnchoring } from "./proofs.ts";
import { createApp } from "./app.ts";
import { createAttestation } from "./attestation.ts";
import type * as ChatBot from "./bot.ts";
import { anchorInspector } from "../chain/contracts/anchor-inspector.ts";
import { anchorLog } from "../chain/contracts/anchor-log.ts";
import { anchorChain } from "../chain/contracts/anchor-chain.ts";
import { readNodeList } from "../chain/consensus/enode.ts";
import { evidenceSource } from "../chain/evidence/evidence-source.ts";
import { watchHead } from "../chain/node/head-watcher.ts";
import { nodeInspector } from "../chain/node/node-inspector.ts";
import { transactionSigner } from "../chain/transactions/transaction-signer.ts";
import { promptCalls } from "../chain/rpc/prompt-calls.ts";
import type { Config } from "../config/config.ts";
import { type DemoAccount, ensureDemoAccount } from "../sessions/demo-account.ts";
import { BundleService } from "../proofs/bundle/bundle-service.ts";
import type { Clock } from "../kit/clock.ts";
import type { Journal } from "./journal.ts";
import { RecoveryService } from "../recovery/service.ts";
import { AccountService } from "../sessions/account-service.ts";
import { SealbookError } from "../errors.ts";
import { createExplorer } from "./explorer.ts";
import { listen } from "../http/server.ts";
import { NetworkList } from "../kit/network-list.ts";
import { JWKS_PATH } from "../attestation/jwks.ts";
import { createJournalWorkers } from "./journal-workers.ts";
import { createJournal } from "./journal.ts";
import { alertStore } from "../operations/alert-store.ts";
import { apiKeyStore } from "../operations/api-key-store.ts";
import { ProofStatements } from "../proofs/proof-store.ts";
import { recoveryStore } from "../recovery/store.ts";
import { prepareMonths } from "../journal/index/proof-months.ts";
import { reconciliationStore } from "../journal/reconciliation/store.ts";
import { transactionStore } from "../journal/transactions/transaction-store.ts";
import { createOperations } from "./operations.ts";
import { openAll, type Opened } from "./resources.ts";
import { DrawnPictures } from "../readings/pictures/drawn-pictures.ts";
import { createRecordStore } from "./records.ts";
import { createTransactions } from "./transactions.ts";
import { statusReport } from "../operations/status.ts";
import type { Logger } from "../kit/logger.ts";
import { MonthKeeper } from "../journal/index/month-keeper.ts";

/** How often a node is asked for its newest block that does not tell; the embedded chain says so itself. */
const HEAD_INTERVAL_MILLISECONDS = 500;
/** How long a stop lets requests wait for the chain: less than what the HTTP server grants them. */
const STOP_PATIENCE_MILLISECONDS = 3_000;

/** What a test may put in the place of the real thing. */
export interface ServerOverrides {
  readonly clock?: Clock;
  /** Between looks at the chain's node. */
  readonly nodeLookMilliseconds?: number;
  /** What opening a new keystore costs: scrypt's N. */
  readonly keystoreRounds?: number;
  /** How long a chain may know less than was on it before it counts as gone back. */
  readonly chainLagMilliseconds?: number;
}

/** The server, put together: {@link createServer} builds it, `start` lets it work, `stop` ends it cleanly. */
export interface Server {
  readonly journal: Journal;
  readonly accounts: AccountService | undefined;
  /** Address of the chain's JSON-RPC when this process runs the chain. */
  readonly embeddedChainUrl: string | undefined;
  readonly demoAccountFile: string;
  /**
   * Starts the workers and listens.
   * @returns where, and the demo account when it was made just now
   */
  start(): Promise<{ url: string; demoAccount: DemoAccount | undefined }>;
  stop(): Promise<void>;
}

/** Opens the chain and the journal and builds every part; nothing runs yet. */
export async function createServer(config: Config, logger: Logger, overrides: ServerOverrides = {}): Promise<Server> {
  const opened = await openAll(config, logger);
  try {
    // Few servers have a bot, which is a good part of the program.
    const chatBot = config.telegram && (await import("./bot.ts"));
    return build(config, logger, overrides, opened, chatBot);
  } catch (error) {
    await opened.resources.disposeAsync();
    throw error;
  }
}

function build(
  config: Config,
  logger: Logger,
  { clock = Date.now, nodeLookMilliseconds, keystoreRounds, chainLagMilliseconds }: ServerOverrides,
  parts: Opened,
  chatBot: typeof ChatBot | undefined,
): Server {
  const { link, database, targets, tokens, issuer, certificate, resources: opened } = parts;
  const { rpc, deployment, embedded } = link;
  const { contracts } = deployment;
  // The embedded chain's blocks name nobody.
  const validatorNames =
    embedded === undefined ? config.validatorNames : new Map([[ZeroAddress, "embedded"], ...config.validatorNames]);
  const startedAt = Date.now();
  let url = "";
  const version = packageVersion();

  const signer = transactionSigner(link.relayer, rpc.chainId, config.gasPrice);
  const journal = createJournal(database, contracts, signer.address);
  const transactions = transactionStore(database);
  const relaying = createTransactions({
    config,
    link,
    signer,
    store: transactions,
    validatorNames,
    telemetry: () => telemetry,
    logger,
    chainLagMilliseconds,
  });
  const { sender } = relaying;
  const head = watchHead(rpc, HEAD_INTERVAL_MILLISECONDS, (reachable, error) =>
    reachable
      ? logger.info("the chain's node answers again")
      : logger.warn({ err: error }, "the chain's node does not answer"),
  );
  const inspect = nodeInspector({
    rpc: promptCalls(rpc),
    relayer: () => sender.address,
    names: validatorNames,
    nodes: config.nodeListFile === undefined ? undefined : readNodeList(config.nodeListFile),
  });
  const liveSessions = (): Promise<number> => journal.sessions.countLive(Math.floor(clock() / 1000));
  const failedAnchors = async (): Promise<number> => (await journal.anchors.failed()).length;
  const regularBlocks = embedded === undefined;

  const alerts = alertStore(database);
  const monitoring = createOperations({
    config,
    sources: {
      version,
      proofs: () => journal.proofs.counts(),
      records: () => journal.records.count(),
      liveSessions,
      transactionsUnderWay: () => transactions.countInFlight(),
      oldestUnconfirmed: () => anchoring.oldestSeconds(),
      waiting: () => anchoring.waiting(),
      failedAnchors,
      entries: async () => (await journal.entries.head()).sequence,
      unsealedSeconds: () => keeping.unsealedSeconds(),
      lastReconciled: () => keeping.lastReconciled(),
      certificateExpires: () => certificate?.expires,
      replicas: () => keeping.lags(),
      chain: () => ({ blockNumber: head.head?.number, reachable: head.reachable }),
      node: async () => (head.reachable ? await inspect() : undefined),
    },
    alerts,
    inspect,
    regularBlocks,
    nodeLookMilliseconds,
    serviceLog: (line) => journal.atomically((atomic) => atomic.serviceLog.append(line)),
    instance: () => url,
    logger,
    clock,
  });
  const { metrics, telemetry } = monitoring;

  const recordKeeping = createRecordStore({
    config,
    link,
    database,
    journal,
    transactions: sender,
    telemetry,
    logger,
    clock,
    version,
    keystoreRounds,
    chainLagMilliseconds,
    liveSessions,
    blockNumber: () => head.head?.number ?? 0,
  });
  const { accounts } = recordKeeping;
  const anchors = anchorChain(rpc, contracts.ProofAnchor, validatorNames);
  const anchoring = createAnchoring({
    ...config,
    journal,
    chain: anchors,
    transactions: sender,
    telemetry,
    clock,
    onRetry: (count) => logger.warn({ count }, "anchors whose transaction had failed were given new ones"),
  });
  // Two relayers with one key do not share a journal.
  const reconciliation = reconciliationStore(database, signer.address);
  const keeping = createJournalWorkers({
    config,
    journal,
    reconciliation,
    rpc,
    chain: anchors,
    deployment,
    targets,
    transactions: sender,
    telemetry,
    logger,
    clock,
  });
  const recovery = new RecoveryService({
    journal,
    store: recoveryStore(database, new ProofStatements()),
    chain: anchors,
    log: anchorLog(rpc, contracts.ProofAnchor, deployment.firstBlock),
    telemetry,
    clock,
  });
  const months = new MonthKeeper(
    () => prepareMonths(database, clock()),
    (err) => logger.warn({ err }, "the journal's coming months could not be prepared"),
  );
  const place = () => ({
    chainId: rpc.chainId,
    contract: contracts.ProofAnchor,
    explorerUrl: config.explorerUrl ?? `${url}/explorer`,
    publicUrl: url,
  });
  const pictures = new DrawnPictures(config.map.tiles);
  const bot = chatBot?.createChatBot({
    config,
    opened: parts,
    journal,
    recordKeeping,
    alerts,
    pictures,
    inspect,
    relayer: () => sender.address,
    head: () => head.head?.number,
    lastReconciled: () => keeping.lastReconciled(),
    url: () => url,
    logger,
    clock,
  });
  monitoring.onAlert(() => bot?.onAlert());
  const app = createApp({
    logger,
    version,
    records: recordKeeping.api,
    proofs: {
      proofs: anchoring.proofs,
      verifier: anchoring.verifier,
      bundles: new BundleService({ evidence: evidenceSource(rpc, contracts.ProofAnchor), issuer }),
      location: place,
    },
    recovery,
    operations: {
      alerts,
      status: () =>
        statusReport({
          version,
          startedAt,
          chainId: rpc.chainId,
          relayer: sender.address,
          regularBlocks,
          inspect,
          proofCounts: () => journal.proofs.counts(),
          transactionsUnderWay: () => transactions.countInFlight(),
          failedAnchors,
          divergences: () => telemetry.counts().divergences,
          lastReconciled: () => keeping.lastReconciled(),
          replicaLag: () =>
            keeping.lags().reduce<number | null>((most, { seconds }) => Math.max(most ?? 0, seconds), null),
        }),
    },
    explorer: createExplorer({ rpc, deployment, validatorNames, explorerRate: config.explorerRate }),
    access: {
      networks: new NetworkList(config.allowedNetworks),
      proxies: new NetworkList(config.trustedProxies),
      authentication: { apiKeys: config.apiKeys ? apiKeyStore(database) : undefined, tokens, clock },
    },
    attest: createAttestation({
      journal,
      trees: anchoring.trees,
      chain: anchors,
      inspector: anchorInspector(rpc, contracts.ProofAnchor),
      recovery,
      issuer,
      issuerName: config.issuerName,
      place,
      jwksUrl: () => `${url}${JWKS_PATH}`,
      telemetry,
      clock,
    }),
    issuer,
    telegram: chatBot && bot && { path: chatBot.TELEGRAM_PATH, webhook: bot.webhook },
    map: config.map,
    metrics: async (_request, response) => {
      response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
    },
    async ready() {
      try {
        await journal.entries.head();
      } catch (cause) {
        throw new SealbookError("journal_unavailable", "the journal cannot be read", { cause, retryAfterSeconds: 1 });
      }
    },
    observeRequest: (labels, seconds) => metrics.httpRequests.observe(labels, seconds),
  });

  head.subscribe(({ number }) => sender.onHead(number));
  head.subscribe(({ number }) => recordKeeping.onHead(number));
  head.subscribe((newest) => anchoring.onHead(newest));
  const demoAccountFile = join(config.dataDirectory, "demo-account.json");

  return {
    journal,
    accounts,
    embeddedChainUrl: embedded?.url,
    demoAccountFile,

    async start() {
      opened.defer(() => monitoring.stop());
      await monitoring.start();
      if (embedded !== undefined) {
        opened.defer(embedded.onBlock(() => head.poke()));
        opened.defer(embedded.onBlock((number) => parts.embeddedLog.onBlock(number)));
      }
      opened.defer(() => head.stop());
      opened.defer(() => recordKeeping.stop());
      // In the order in which work flows: what comes in, what is sent, what is waited for.
      opened.defer(() => anchoring.ended());
      opened.defer(() => sender.stop());
      opened.defer(() => anchoring.release());
      opened.defer(() => anchoring.stop());
      opened.defer(() => keeping.stop());
      opened.defer(() => months.stop());
      await recordKeeping.recover();
      await recovery.start();
      opened.defer(() => relaying.stopWatching());
      await relaying.start();
      await anchoring.start();
      await keeping.start();
      months.start();
      head.start();
      const demoAccount =
        embedded !== undefined && accounts !== undefined
          ? await ensureDemoAccount(demoAccountFile, journal, accounts)
          : undefined;
      opened.defer(() => pictures.stop());
      // Whoever still waits for the chain when the server stops is told that it is pending instead of being cut off.
      const patiently = async (stop: () => Promise<void>): Promise<void> => {
        const patience = setTimeout(() => {
          anchoring.release();
          sender.release();
        }, STOP_PATIENCE_MILLISECONDS);
        await stop();
        clearTimeout(patience);
      };
      const server = await listen(app, config.host, config.port, certificate);
      opened.defer(() => patiently(() => server.close()));
      url = config.publicUrl ?? server.url;
      if (bot !== undefined) {
        opened.defer(() => patiently(() => bot.stop()));
        await bot.start();
      }
      opened.defer(() => monitoring.watching.stop());
      monitoring.watching.start();
      return { url: server.url, demoAccount };
    },

    stop: () => opened.disposeAsync(),
  };
}

function packageVersion(): string {
  const content: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const version = typeof content === "object" && content !== null && "version" in content ? content.version : undefined;
  return typeof version === "string" ? version : "unknown";
}
