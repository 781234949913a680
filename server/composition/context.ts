import { ZeroAddress } from "ethers";
import { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import { VerifiedChain } from "../chain/evidence/verified-chain.ts";
import { watchHead } from "../chain/node/head-watcher.ts";
import { FeeSource } from "../chain/transactions/fees.ts";
import { CommitSigner } from "../chain/transactions/commit-signer.ts";
import { transactionSigner } from "../chain/transactions/transaction-signer.ts";
import type { Config } from "../config/config.ts";
import { SealbookError } from "../errors.ts";
import { Issuer } from "../issuer/issuer.ts";
import type { ObjectStore } from "../journal/replication/object-store.ts";
import { EntryVerifier } from "../journal/entries/verified-entries.ts";
import { notLeader } from "../journal/leader/not-leader.ts";
import { Findings } from "../journal/findings/findings.ts";
import { FindingsFile } from "../journal/findings/findings-file.ts";
import type { Logger } from "../kit/logger.ts";
import { packageVersion } from "../kit/program-files.ts";
import { type Clock, steadyClock } from "../kit/time.ts";
import { alertStore as openAlertStore, BufferedAlertStore, withoutStorage } from "../operations/alert-store.ts";
import { AlertTracker } from "../operations/alert-tracker.ts";
import { createTelemetry } from "../operations/telemetry.ts";
import { createJournal } from "./journal.ts";
import { isLeader, type Opened } from "./resources.ts";

/** Interval of queries for the newest block; the embedded chain announces its blocks. */
const HEAD_INTERVAL_MILLISECONDS = 500;

/** Replacements for tests. */
export interface ServerOverrides {
  readonly clock?: Clock;
  /** Never jumps; for durations. */
  readonly steadyClock?: Clock;
  /** Between two checks of the chain's node. */
  readonly nodeIntervalMilliseconds?: number;
  /** Age of the newest block from which the network counts as one that makes no blocks. */
  readonly staleBlockSeconds?: number;
  /** Between two queries for the newest block, where the node does not announce it. */
  readonly headMilliseconds?: number;
  /** How long the chain may lack blocks that were seen before it counts as rolled back. */
  readonly chainLagMilliseconds?: number;
  /** Between two looks at the transactions that have no receipt, and their age at the first. */
  readonly recheckMilliseconds?: number;
  /** Time after which a transaction of another key is given up that is in no block. */
  readonly abandonMilliseconds?: number;
  /** How long the leader's session may be silent. */
  readonly leaderSilenceMilliseconds?: number;
  /** Cost of a new keystore: scrypt's N. */
  readonly keystoreRounds?: number;
}

/** Everything that the parts of the server share, in one role. */
export type Context = ReturnType<typeof createContext>;

interface ContextDeps {
  readonly config: Config;
  readonly opened: Opened;
  /** The journal's replicas; `stop` ends requests, because a target can leave them without a response for minutes. */
  readonly replicas: { readonly stores: readonly ObjectStore[]; readonly stop: AbortController };
  readonly logger: Logger;
  readonly overrides: ServerOverrides;
}

/** Builds the context of a role: that of a leader ends with its session. */
export function createContext({ config, opened, replicas, logger, overrides }: ContextDeps) {
  const { link, journalKey, validators, issuerKeys, metrics, address, workers } = opened;
  const { session } = opened.leadership;
  const leads = isLeader(opened);
  const assertLeads = (): void => {
    if (leads && session?.lost.aborted !== true) return;
    const failure = session?.failure ?? opened.journal.candidate?.failure;
    throw failure instanceof SealbookError && failure.code === "journal_unavailable" ? failure : notLeader();
  };
  const database = opened.journal.roleDatabase(() => session);
  const { rpc, deployment, embedded } = link;
  const version = packageVersion();
  const clock = overrides.clock ?? Date.now;
  const signer = transactionSigner(link.relayer, rpc.chainId);
  const entryVerifier = new EntryVerifier({
    database,
    key: journalKey,
    relayer: config.relayers?.self ?? signer.address,
    onDamage: (subject, message) => telemetry.journalDiverged(subject, message),
  });
  const fees = new FeeSource(rpc, config.chain.fees);
  const commitSigner = new CommitSigner(signer, fees);
  const journal = createJournal(database, journalKey, deployment.contracts, entryVerifier, commitSigner);
  // Logger, metrics, alerts and events come before every part: each part registers its own metrics.
  const stored = openAlertStore(database);
  const alertStore = new BufferedAlertStore(stored);
  // A follower reports them to the leader, which alone stores alerts and notifies receivers.
  const alerts = new AlertTracker(leads ? alertStore : withoutStorage(stored), logger, clock);
  metrics.gaugeBy("alert", "sealbook_alerts_active", "Alerts that last", () => alerts.counts());
  const events = createTelemetry({
    logger,
    metrics,
    alerts,
    serviceLog: async (line) => {
      if (leads) await journal.atomically((atomic) => atomic.serviceLog.append(line));
    },
  });
  // Keeps the divergences that any part finds. A follower reports them to the leader.
  const findings = new Findings({
    file: new FindingsFile(config.dataDirectory),
    database,
    telemetry: events,
    alertOf: (cause) =>
      alerts.active.find(({ kind, subject }) => kind === "journal_divergence" && subject === cause)?.message,
    onFailure: (err) => logger.error({ err }, "the divergences that were found cannot be written to DATA_DIR"),
  });
  const { journalDiverged, divergenceResolved } = findings;
  const telemetry = { ...events, journalDiverged, divergenceResolved };
  // Blocks of the embedded chain name no proposer.
  const validatorNames =
    embedded === undefined
      ? config.chain.validatorNames
      : new Map([[ZeroAddress, "embedded"], ...config.chain.validatorNames]);
  const proofAnchor = new ProofAnchorClient(rpc, deployment.contracts.ProofAnchor, {
    firstBlock: deployment.firstBlock,
    chain: new VerifiedChain(rpc, {
      validatorNames,
      validators,
      finality: config.chain.finality,
      onContradiction: telemetry.nodeContradicted,
    }),
  });
  return {
    config,
    opened,
    replicas,
    /** Whether this relayer writes. Another one reads, and responds `not_leader` to what writes. */
    isLeader: leads,
    /** @throws SealbookError `not_leader`; `journal_unavailable` when it cannot be known who leads */
    assertLeads,
    /** @throws SealbookError as `assertLeads`; `storage_full` */
    assertWritable(): void {
      assertLeads();
      opened.storage.assertSpace();
    },
    overrides,
    version,
    logger,
    clock,
    steadyClock: overrides.steadyClock ?? steadyClock(clock),
    metrics,
    alerts,
    alertStore,
    telemetry,
    findings,
    link,
    database,
    journal,
    signer,
    commitSigner,
    fees,
    validatorNames,
    proofAnchor,
    /** Reads the entries that are signed or returned as proof. */
    entryVerifier,
    issuer: new Issuer(issuerKeys, () => {
      assertLeads();
      findings.assertIntact();
    }),
    address,
    /** Announces new blocks to its subscribers, in the order in which they subscribed. */
    head: watchHead(rpc, overrides.headMilliseconds ?? HEAD_INTERVAL_MILLISECONDS, (failure) =>
      failure === undefined
        ? logger.info("the chain's node responds again")
        : logger.warn({ err: failure }, "the chain cannot be used"),
    ),
    workers,
  };
}
