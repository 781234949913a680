import { Decoder } from "../records/decoder.ts";
import { EventIndexer } from "../records/event-indexer.ts";
import { eventLog } from "../records/event-log.ts";
import { ForeignWrites } from "../records/foreign-writes.ts";
import { recordIndexStore } from "../records/record-index.ts";
import { SyncLog } from "../records/sync-log.ts";
import { reasonOf } from "../errors.ts";
import { errorField } from "../kit/logger.ts";
import type { Context } from "./context.ts";

export type RecordIndex = ReturnType<typeof createRecordIndex>;

/** Builds the local index of the records on chain. */
export function createRecordIndex(context: Context) {
  const { database, telemetry, logger, clock, workers } = context;
  const { rpc, deployment } = context.link;
  const { tableName } = context.config.records;
  const { SessionRegistry: registry, EventTable: address } = deployment.contracts;
  const contract = { chainId: rpc.chainId, address };
  const foreignWrites = new ForeignWrites(telemetry, clock);
  const syncLog = new SyncLog(clock);
  const decoder = new Decoder(workers, [contract]);
  const log = eventLog(
    rpc,
    { table: address, tableName, registry, firstBlock: deployment.firstBlock },
    (stored) => decoder.row(stored),
    (rowId, reason) => logger.warn({ row_id: rowId.toString(), reason }, "a row on chain is not a record"),
  );
  const indexer = new EventIndexer(
    log,
    recordIndexStore(database, context.opened.journalKey, tableName),
    (event) => {
      if (event.kind === "foreign_rows") return foreignWrites.add(event.writes);
      if (event.kind === "own_rows")
        return event.rows.forEach(({ account, rowId }) => telemetry.recordStored(account, rowId));
      if (event.kind === "failing") syncLog.add({ kind: "failing", reason: reasonOf(event.error) });
      else syncLog.add(event);
      const { kind, ...details } = event;
      if (kind === "indexed" || kind === "resumed") return;
      logger[kind === "failing" ? "warn" : "info"]({ ...errorField(details) }, `event indexer: ${kind}`);
    },
    context.overrides.chainLagMilliseconds,
  );
  return { indexer, contract, decoder, foreignWrites, syncLog };
}
