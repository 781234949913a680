import { Pictures } from "../../air-quality/pictures/pictures.ts";
import type { Context } from "./context.ts";
import { createJournalWorkers, type JournalWorkers } from "./journal-workers.ts";
import { createNodeInspector, createOperations } from "./operations.ts";
import { createOperatorWrites } from "./operator-writes.ts";
import { createProofs, type Proofs, registerProofMetrics } from "./proofs.ts";
import { createRecordIndex } from "./record-index.ts";
import { createRecords } from "./records.ts";
import { createRecovery } from "./recovery.ts";
import { createSessions } from "./sessions.ts";
import { createTransactions, type RelayerTransactions } from "./transactions.ts";

/** The parts of the server. */
export type Parts = Awaited<ReturnType<typeof buildParts>>;

/** Builds every part, each over those before it; nothing runs yet. */
export async function buildParts(context: Context) {
  const index = createRecordIndex(context);
  const transactions = createTransactions(context, index);
  const inspect = createNodeInspector(context, transactions);
  const sessions = createSessions(context, transactions);
  const records = createRecords(context, index, transactions, sessions);
  const journalWorkers = createJournalWorkers(context, transactions, records);
  const proofs = buildProofs(context, transactions, journalWorkers);
  const recovery = createRecovery(context, proofs);
  const operations = createOperations(context, { inspect, transactions, journalWorkers });
  const pictures = new Pictures(context.workers, context.config.map.tiles);
  // Loaded on demand: few servers have a bot, which is a large part of the program.
  const chatBot = context.config.telegram && (await import("./bot.ts"));
  const bot = chatBot?.createChatBot(context, { sessions, records, pictures, inspect, transactions, journalWorkers });
  const operatorWrites = createOperatorWrites(context);
  return { transactions, sessions, records, journalWorkers, proofs, recovery, operations, operatorWrites, bot };
}

function buildProofs(
  context: Context,
  { sender }: RelayerTransactions,
  { lateSince }: Pick<JournalWorkers, "lateSince">,
): Proofs {
  const { config, proofAnchor, logger } = context;
  const proofs = createProofs({
    ...config.proofs,
    journal: context.journal,
    entryVerifier: context.entryVerifier,
    telemetry: context.telemetry,
    clock: context.clock,
    steadyClock: context.steadyClock,
    chain: proofAnchor,
    transactions: sender,
    assertWritable: context.assertWritable,
    lateSince,
    assertFindable: () => context.findings.assertFindable(),
    onRetry: (count) => logger.warn({ count }, "failed anchors are retried in new transactions"),
  });
  registerProofMetrics(context, proofs, config.proofs.maxInFlight);
  return proofs;
}
