import { join } from "node:path";
import type { ChainLink } from "./chain-link.ts";
import { KeystoreWatch } from "../chain/keys/keystore-watch.ts";
import { TransactionSender } from "../chain/transactions/transaction-sender.ts";
import { type TransactionSigner, transactionSigner } from "../chain/transactions/transaction-signer.ts";
import type { ChainConfig } from "../config/chain.ts";
import { RELAYER_FILE } from "./data-folder.ts";
import type { ChainEvents } from "../chain/events.ts";
import type { TransactionStore } from "../chain/transactions/transactions.ts";
import { writeFileDurably } from "../kit/durable-file.ts";
import { errorField, type Logger } from "../kit/logger.ts";

export interface TransactionDeps {
  readonly config: ChainConfig;
  readonly link: ChainLink;
  readonly signer: TransactionSigner;
  readonly store: TransactionStore;
  readonly validatorNames: ReadonlyMap<string, string>;
  /** What is told of a chain that comes back older. */
  readonly telemetry: () => Pick<ChainEvents, "chainRolledBack" | "chainRecovered">;
  readonly logger: Logger;
  readonly chainLagMilliseconds: number | undefined;
}

/** What sends the relayer's transactions, and changes its key when the keystore does. */
export interface RelayerTransactions {
  readonly sender: TransactionSender;
  /** Writes down who sends, and starts to send. */
  start(): Promise<void>;
  /** Ends what looks at the keystore; the sender goes on. */
  stopWatching(): void;
}

export function createTransactions({
  config,
  link,
  signer,
  store,
  validatorNames,
  telemetry,
  logger,
  chainLagMilliseconds,
}: TransactionDeps): RelayerTransactions {
  const { rpc } = link;
  const sender = new TransactionSender({
    rpc,
    store,
    signer,
    validatorNames,
    takeOverMilliseconds: config.takeOverMilliseconds,
    behindMilliseconds: chainLagMilliseconds,
    onEvent: ({ kind, ...details }) => {
      if (kind === "chain_went_back" && "count" in details) telemetry().chainRolledBack(details.count);
      if (kind === "chain_made_whole") telemetry().chainRecovered();
      logger[kind === "resent" ? "info" : "warn"]({ ...errorField(details) }, `transaction sender: ${kind}`);
    },
  });
  const relayerFile = join(config.dataDirectory, RELAYER_FILE);
  const writeDown = (address: string) => writeFileDurably(relayerFile, [Buffer.from(address)]);
  const watch =
    config.relayer?.kind !== "keystore"
      ? undefined
      : new KeystoreWatch({
          files: config.relayer,
          async onKey(key) {
            logger.info(
              { relayer: key.address },
              "the keystore has a new key, which is used as soon as nothing is under way with the old one",
            );
            await sender.changeKey(transactionSigner(key, rpc.chainId, config.gasPrice));
            await writeDown(key.address);
            logger.info({ relayer: key.address }, "the relayer's key has changed");
          },
          onRefused: (err) => logger.error({ err }, "the changed keystore cannot be used; the relayer's key stays"),
        });
  return {
    sender,
    async start() {
      await writeDown(sender.address);
      sender.start();
      watch?.start(sender.address);
    },
    stopWatching: () => watch?.stop(),
  };
}
