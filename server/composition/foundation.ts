import { readFileSync } from "node:fs";
import { ZeroAddress } from "ethers";
import { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import { VerifiedChain } from "../chain/evidence/verified-chain.ts";
import { type HeadWatcher, watchHead } from "../chain/node/head-watcher.ts";
import type { ValidatorNames } from "../chain/node/node-block.ts";
import { FeeSource } from "../chain/transactions/fees.ts";
import { type TransactionSigner, transactionSigner } from "../chain/transactions/transaction-signer.ts";
import type { ChainConfig } from "../config/chain.ts";
import { Issuer } from "../issuer/issuer.ts";
import type { Database } from "../journal/engine/database.ts";
import { EntryVerifier } from "../journal/entries/verified-entries.ts";
import { DivergenceTracker } from "../journal/reconciliation/divergence-tracker.ts";
import { reconciliationStore } from "../journal/reconciliation/store.ts";
import type { Clock } from "../kit/time.ts";
import type { Logger } from "../kit/logger.ts";
import type { ChainLink } from "./chain-link.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createMonitoring, type Monitoring } from "./monitoring.ts";
import type { Opened } from "./resources.ts";
import { WorkerPool } from "../kit/workers/worker-pool.ts";

/** Interval of queries for the newest block; the embedded chain announces its blocks. */
const HEAD_INTERVAL_MILLISECONDS = 500;

/** Everything that all parts are built on. */
export interface Foundation extends Monitoring {
  readonly version: string;
  readonly clock: Clock;
  /** Never jumps; for durations. */
  readonly steadyClock: Clock;
  readonly link: ChainLink;
  readonly database: Database;
  readonly journal: Journal;
  readonly signer: TransactionSigner;
  readonly fees: FeeSource;
  readonly validatorNames: ValidatorNames;
  readonly proofAnchor: ProofAnchorClient;
  /** Stores the divergences that any part finds. */
  readonly divergences: DivergenceTracker;
  /** Reads the entries that are signed or answered for. */
  readonly entryVerifier: EntryVerifier;
  readonly issuer: Issuer;
  /** Announces new blocks to its subscribers, in the order in which they subscribed. */
  readonly head: HeadWatcher;
  /** The threads of heavy work. */
  readonly workers: WorkerPool;
}

export function createFoundation(
  config: ChainConfig,
  {
    link,
    database,
    validators,
    former,
    issuerKeys,
  }: Pick<Opened, "link" | "database" | "validators" | "former" | "issuerKeys">,
  logger: Logger,
  {
    clock,
    steadyClock,
    headMilliseconds = HEAD_INTERVAL_MILLISECONDS,
  }: Pick<Foundation, "clock" | "steadyClock"> & { readonly headMilliseconds: number | undefined },
): Foundation {
  const { rpc, deployment, embedded } = link;
  const version = packageVersion();
  const signer = transactionSigner(link.relayer, rpc.chainId);
  const journal = createJournal(database, deployment.contracts, signer.address);
  const monitoring = createMonitoring({ version, database, journal, logger, clock });
  // Blocks of the embedded chain name no proposer.
  const validatorNames =
    embedded === undefined ? config.validatorNames : new Map([[ZeroAddress, "embedded"], ...config.validatorNames]);
  const { ProofAnchor } = deployment.contracts;
  const chain = new VerifiedChain(rpc, {
    validatorNames,
    validators,
    finality: config.finality,
    onContradiction: monitoring.telemetry.nodeContradicted,
  });
  const proofAnchor = new ProofAnchorClient(rpc, ProofAnchor, {
    firstBlock: Math.min(deployment.firstBlock, ...former.map(({ firstBlock }) => firstBlock)),
    former: former.map(({ address }) => address),
    chain,
  });
  const head = watchHead(rpc, headMilliseconds, (reachable, error) =>
    reachable
      ? logger.info("the chain's node responds again")
      : logger.warn({ err: error }, "the chain's node does not respond"),
  );
  const store = reconciliationStore(database, signer.address);
  const divergences = new DivergenceTracker(store, monitoring.telemetry, clock);
  const { journalDiverged, divergenceResolved } = divergences;
  const telemetry = { ...monitoring.telemetry, journalDiverged, divergenceResolved };
  const entryVerifier = new EntryVerifier({ database, telemetry });
  return {
    ...monitoring,
    telemetry,
    divergences,
    version,
    clock,
    steadyClock,
    link,
    database,
    journal,
    signer,
    fees: new FeeSource(rpc, config.fees),
    validatorNames,
    proofAnchor,
    entryVerifier,
    issuer: new Issuer(issuerKeys, () => divergences.assertIntact()),
    head,
    workers: new WorkerPool(),
  };
}

function packageVersion(): string {
  const content: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const version = typeof content === "object" && content !== null && "version" in content ? content.version : undefined;
  return typeof version === "string" ? version : "unknown";
}
