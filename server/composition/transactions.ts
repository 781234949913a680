import { join } from "node:path";
import { foreignCallReason } from "../chain/contracts/relayer-calls.ts";
import { TransactionSender } from "../chain/transactions/transaction-sender.ts";
import { transactionStore } from "../journal/transactions/transaction-store.ts";
import { writeFileDurably } from "../kit/durable-file.ts";
import { errorField } from "../kit/logger.ts";
import { RELAYER_FILE } from "./data-folder.ts";
import type { Context } from "./context.ts";
import type { RecordIndex } from "./record-index.ts";

export type RelayerTransactions = ReturnType<typeof createTransactions>;

/** Builds the sender of the relayer's transactions. Their blocks bring rows of the record index, too. */
export function createTransactions(context: Context, { indexer }: Pick<RecordIndex, "indexer">) {
  const { config, overrides, database, link, signer, commitSigner, fees, proofAnchor, metrics, telemetry, logger } =
    context;
  const store = transactionStore(database, context.opened.journalKey, indexer);
  const sender = new TransactionSender({
    chain: proofAnchor.chain,
    verdictOn: (at) => proofAnchor.verdictOn(at),
    store,
    contracts: Object.values(link.deployment.contracts),
    signer,
    commitSigner,
    fees,
    foreignCallReason: (call) =>
      call.isOwn ? foreignCallReason(link.deployment.contracts, call) : "no relayer has written it, or it was changed",
    lagMilliseconds: overrides.chainLagMilliseconds,
    recheckMilliseconds: overrides.recheckMilliseconds,
    abandonMilliseconds: overrides.abandonMilliseconds,
    // Records of blocks that can still change would come and go.
    onRead: (final) => indexer.onHead(final),
    onEvent: ({ kind, ...details }) => {
      if (kind === "chain_rolled_back" && "count" in details) telemetry.chainRolledBack(details.count);
      if (kind === "chain_recovered") {
        telemetry.chainRecovered();
        // What the chain lacked meanwhile is there again.
        context.findings.checkOpenSoon();
      }
      if (kind === "foreign_call" && "reason" in details)
        telemetry.journalDiverged(
          `transaction ${details.id}`,
          `transaction ${details.id} of the journal is no call of this relayer and is not sent: ${details.reason}`,
        );
      if (kind === "other_content" && "id" in details)
        telemetry.journalDiverged(
          `transaction ${details.id}`,
          `transaction ${details.id} has anchored something else than the journal has under it: it confirms nothing`,
        );
      const level = kind === "resent" || kind === "replaced" ? "info" : "warn";
      logger[level]({ ...errorField(details) }, `transaction sender: ${kind}`);
    },
  });
  const countInFlight = (): Promise<number> => store.countInFlight();
  metrics.gauge("sealbook_transactions_in_flight", "Transactions without an outcome", countInFlight);
  return {
    sender,
    /** Returns the number of transactions without an outcome. */
    countInFlight,
    /** Writes the sender's address to the data folder, and starts to send. */
    async start(): Promise<void> {
      await writeFileDurably(join(config.dataDirectory, RELAYER_FILE), [Buffer.from(sender.address)]);
      sender.start();
    },
  };
}
