import { join } from "node:path";
import { foreignCallReason } from "../chain/contracts/relayer-calls.ts";
import { KeystoreMonitor } from "../chain/keys/keystore.ts";
import { TransactionSender } from "../chain/transactions/transaction-sender.ts";
import { transactionSigner } from "../chain/transactions/transaction-signer.ts";
import { transactionStore } from "../journal/transactions/transaction-store.ts";
import { writeFileDurably } from "../kit/durable-file.ts";
import { errorField } from "../kit/logger.ts";
import { RELAYER_FILE } from "./data-folder.ts";
import type { Context } from "./context.ts";

export type RelayerTransactions = ReturnType<typeof createTransactions>;

/** Builds the sender of the relayer's transactions, which changes its key when the keystore does. */
export function createTransactions(context: Context) {
  const { config, overrides, database, link, signer, fees, proofAnchor, head, metrics, telemetry, logger } = context;
  const store = transactionStore(database);
  const sender = new TransactionSender({
    chain: proofAnchor.chain,
    accepts: (at) => proofAnchor.accepts(at),
    store,
    signer,
    fees,
    foreignCallReason: (call) => foreignCallReason(link.deployment.contracts, call),
    earlierAnchor: (call) => proofAnchor.findCalled(call),
    takeOverMilliseconds: config.chain.takeOverMilliseconds,
    lagMilliseconds: overrides.chainLagMilliseconds,
    recheckMilliseconds: overrides.recheckMilliseconds,
    onEvent: ({ kind, ...details }) => {
      if (kind === "chain_rolled_back" && "count" in details) telemetry.chainRolledBack(details.count);
      if (kind === "chain_recovered") telemetry.chainRecovered();
      if (kind === "foreign_call" && "reason" in details)
        telemetry.journalDiverged(
          `transaction ${details.id}`,
          `transaction ${details.id} of the journal is no call of this relayer and is not sent: ${details.reason}`,
        );
      if (kind === "earlier_anchor" && "block" in details)
        telemetry.journalCorrected(
          `the journal had lost that an anchor is in block ${details.block}, transaction ${details.hash}; ` +
            "it is not sent again",
        );
      const level = kind === "resent" || kind === "replaced" ? "info" : "warn";
      logger[level]({ ...errorField(details) }, `transaction sender: ${kind}`);
    },
  });
  head.subscribe(({ number }) => sender.onHead(number));
  const countInFlight = (): Promise<number> => store.countInFlight();
  metrics.gauge("sealbook_transactions_in_flight", "Transactions without an outcome", countInFlight);
  const monitor = monitorKeystore(context, sender);
  return {
    sender,
    /** Returns the number of transactions without an outcome. */
    countInFlight,
    /** Writes the sender's address to the data folder, and starts to send. */
    async start(): Promise<void> {
      await writeSender(config.dataDirectory, sender.address);
      sender.start();
      monitor?.start(sender.address);
    },
    /** Stops the monitor of the keystore; the sender continues. */
    stopKeystoreMonitor: () => monitor?.stop(),
  };
}

/** Writes the sender's address to the data folder, where `relayer rotate` waits for it. */
function writeSender(dataDirectory: string, address: string): Promise<void> {
  return writeFileDurably(join(dataDirectory, RELAYER_FILE), [Buffer.from(address)]);
}

/** Changes the sender's key when the keystore changes; `undefined` when the key is in no keystore. */
function monitorKeystore({ config, link, logger }: Context, sender: TransactionSender): KeystoreMonitor | undefined {
  const { relayer } = config.chain;
  if (relayer?.kind !== "keystore") return undefined;
  return new KeystoreMonitor({
    files: relayer,
    async onKey(key) {
      logger.info(
        { relayer: key.address },
        "the keystore has a new key; the server uses it as soon as no transaction of the old one is in flight",
      );
      await sender.changeKey(transactionSigner(key, link.rpc.chainId));
      await writeSender(config.dataDirectory, key.address);
      logger.info({ relayer: key.address }, "the relayer's key has changed");
    },
    onRefused: (err) =>
      logger.error(
        { err },
        "the changed keystore cannot be used; the server keeps the old key; check RELAYER_KEYSTORE_FILE",
      ),
  });
}
