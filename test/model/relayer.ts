import { setTimeout as sleep } from "node:timers/promises";
import { EntryVerifier } from "../../server/journal/entries/verified-entries.ts";
import { createProofs } from "../../server/composition/proofs.ts";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { watchHead } from "../../server/chain/node/head-watcher.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { FeeSource } from "../../server/chain/transactions/fees.ts";
import { CommitSigner } from "../../server/chain/transactions/commit-signer.ts";
import { TransactionSender } from "../../server/chain/transactions/transaction-sender.ts";
import { ownKey } from "../../server/chain/keys/relayer-key.ts";
import { transactionSigner } from "../../server/chain/transactions/transaction-signer.ts";
import { probeDatabase } from "../../server/operations/storage-monitor.ts";
import type { Telemetry } from "../../server/operations/telemetry.ts";
import type { ProofService } from "../../server/proofs/service.ts";
import { KEY } from "../support/journal-key.ts";
import { every } from "../../server/kit/time.ts";
import { openDatabase } from "../../server/journal/engine/database.ts";
import { createJournal } from "../../server/composition/journal.ts";
import { transactionStore } from "../../server/journal/transactions/transaction-store.ts";
import type { Dialect } from "kysely";
import { FEES } from "../support/fees.ts";

export const ADDRESSES = {
  SessionRegistry: `0x${"11".repeat(20)}`,
  EventTable: `0x${"22".repeat(20)}`,
  ProofAnchor: `0x${"33".repeat(20)}`,
};
/** As in the composition of the server. */
const HEAD_INTERVAL_MILLISECONDS = 500;
const PROBE_MILLISECONDS = 2_000;
const STOP_TIMEOUT_MILLISECONDS = 3_000;
const GRACE_MILLISECONDS = 5_000;

const nothing = (): void => undefined;
const TELEMETRY: Telemetry = {
  loggedIn: nothing,
  loginRefused: nothing,
  loginsLockedOut: nothing,
  loginBlocked: nothing,
  sessionChanged: nothing,
  recordStored: nothing,
  foreignRows: nothing,
  noForeignRows: nothing,
  proofsAccepted: nothing,
  proofConfirmed: nothing,
  batchClosed: nothing,
  anchorRejected: nothing,
  anchorsAccepted: nothing,
  anchorFailed: nothing,
  anchoringLate: nothing,
  anchoringInTime: nothing,
  journalFailing: nothing,
  journalDiverged: nothing,
  divergenceResolved: nothing,
  divergenceAnnounced: nothing,
  journalCorrected: nothing,
  chainRolledBack: nothing,
  chainRecovered: nothing,
  replicaLagging: nothing,
  journalProbed: nothing,
  storageFailing: nothing,
  storageRestored: nothing,
  replicaCaughtUp: nothing,
  nodeDown: nothing,
  nodeUp: nothing,
  clockSkewed: nothing,
  clockRight: nothing,
  wrongChain: nothing,
  rightChain: nothing,
  syncLost: nothing,
  syncRegained: nothing,
  nodeContradicted: nothing,
  nodeConsistent: nothing,
  networkFaults: nothing,
};

/** What a run may choose of a relayer's configuration. */
export interface RelayerRules {
  readonly batchMaxAgeMilliseconds: number;
  readonly proofWaitMilliseconds: number;
  readonly maxInFlight: number;
}

/** A relayer that takes requests. */
export interface Relayer {
  readonly proofs: ProofService;
  /** @param cutOff called when the connections of waiting clients are closed */
  stop(cutOff: () => void): Promise<void>;
}

/** Starts what of the server concerns proofs, put together as there. */
export async function startRelayer(
  key: string,
  dialect: Dialect,
  rpc: Rpc,
  rules: RelayerRules,
  trace: (text: string) => void,
): Promise<Relayer> {
  const database = await openDatabase(dialect);
  const signer = transactionSigner(ownKey(key), rpc.chainId);
  const fees = new FeeSource(rpc, FEES);
  const commitSigner = new CommitSigner(signer, fees);
  const journal = createJournal(database, KEY, ADDRESSES, undefined, commitSigner);
  const proofAnchor = new ProofAnchorClient(rpc, ADDRESSES.ProofAnchor);
  const sender = new TransactionSender({
    chain: proofAnchor.chain,
    verdictOn: (at) => proofAnchor.verdictOn(at),
    store: transactionStore(database, KEY),
    contracts: Object.values(ADDRESSES),
    signer,
    commitSigner,
    fees,
    foreignCallReason: () => undefined,
    onEvent: ({ kind, ...details }) =>
      trace(`${kind} ${"error" in details ? String(details.error) : JSON.stringify(details)}`),
  });
  const head = watchHead(rpc, HEAD_INTERVAL_MILLISECONDS, nothing);
  const proofs = createProofs({
    ...rules,
    journal,
    chain: proofAnchor,
    entryVerifier: new EntryVerifier({ database, key: KEY }),
    transactions: sender,
    assertWritable: () => undefined,
    telemetry: TELEMETRY,
    clock: () => Date.now(),
    steadyClock: () => Date.now(),
    anchorDeadlineMilliseconds: 60_000,
    lateSince: () => undefined,
    assertFindable: () => undefined,
    onRetry: (count) => trace(`retried ${count}`),
  });
  head.subscribe(({ number }) => sender.onHead(number));
  head.subscribe((newest) => proofs.onHead(newest));

  // A relayer that writes nothing would not notice that another one leads.
  const probes = every(PROBE_MILLISECONDS, () => probeDatabase(database, () => Date.now()).catch(nothing));
  sender.start();
  await proofs.start();
  head.start();
  return {
    proofs: proofs.service,
    async stop(cutOff) {
      await sleep(STOP_TIMEOUT_MILLISECONDS);
      proofs.tracker.release();
      sender.release();
      await sleep(GRACE_MILLISECONDS - STOP_TIMEOUT_MILLISECONDS);
      cutOff();
      await proofs.stop();
      await Promise.all([sender.stop(), probes.stop()]);
      head.stop();
      await database.destroy();
      rpc.close();
    },
  };
}
