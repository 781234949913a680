import { rateLimit } from "../http/rate-limit.ts";
import { reasonOf } from "../errors.ts";
import { errorField } from "../kit/logger.ts";
import { Decoder } from "../records/decoder.ts";
import { EventIndexer, SyncLog } from "../records/event-indexer.ts";
import { eventLog } from "../records/event-log.ts";
import { recordIndexStore } from "../records/record-index.ts";
import { RecordSearch } from "../records/record-search.ts";
import { rowAudit } from "../records/row-audit.ts";
import { ForeignWrites } from "../records/foreign-writes.ts";
import type { RecordRouteDeps } from "../records/routes.ts";
import { checkRecordIndex } from "../records/index-check.ts";
import { EventTableClient } from "../chain/contracts/event-table-client.ts";
import { RecordWriter } from "../records/record-writer.ts";
import { RowIds } from "../records/row-ids.ts";
import { RECORD_INDEX } from "../journal/findings/subject.ts";
import { insertCall } from "../records/event-table.ts";
import { RecordService } from "../records/service.ts";
import type { Context } from "./context.ts";
import type { Sessions } from "./sessions.ts";
import type { RelayerTransactions } from "./transactions.ts";

export type Records = ReturnType<typeof createRecords>;

/** Builds the records, and the local index of those on chain. */
export function createRecords(
  context: Context,
  { sender: transactions }: RelayerTransactions,
  { sessions }: Pick<Sessions, "sessions">,
) {
  const { journal, database, proofAnchor, metrics, telemetry, logger, clock, workers } = context;
  const { records: config, database: location } = context.config;
  const { storage, journalKey: key } = context.opened;
  const { rpc, deployment } = context.link;
  const foreignWrites = new ForeignWrites(telemetry, clock);
  const syncLog = new SyncLog(clock);
  const { tableName, chainWaitMilliseconds } = config;
  const onDamage = (message: string): void => context.findings.journalDiverged(RECORD_INDEX, message);
  const { SessionRegistry: registry, EventTable: address } = deployment.contracts;
  const sources = { table: address, tableName, registry, firstBlock: deployment.firstBlock };
  const contract = { chainId: rpc.chainId, address };
  const decoder = new Decoder(workers, [contract]);
  const log = eventLog(
    rpc,
    sources,
    (stored) => decoder.row(stored),
    (rowId, reason) => logger.warn({ row_id: rowId.toString(), reason }, "a row on chain is not a record"),
  );
  const indexer = new EventIndexer(
    log,
    recordIndexStore(database, key, tableName),
    (event) => {
      if (event.kind === "foreign_rows") return foreignWrites.add(event.writes);
      if (event.kind === "failing") syncLog.add({ kind: "failing", reason: reasonOf(event.error) });
      else syncLog.add(event);
      const { kind, ...details } = event;
      if (kind === "indexed" || kind === "resumed") return;
      logger[kind === "failing" ? "warn" : "info"]({ ...errorField(details) }, `event indexer: ${kind}`);
    },
    context.overrides.chainLagMilliseconds,
  );
  // Records of blocks that can still change would come and go.
  const onHead = (number: number): void =>
    void proofAnchor.chain.newestNumber(number).then(
      (final) => indexer.onHead(final),
      () => undefined, // The next block asks again.
    );
  const search = new RecordSearch(workers, location, () => storage.assertInPlace());
  const eventTable = new EventTableClient(rpc, address);
  const writer = new RecordWriter({
    journal,
    transactions,
    insertCall: (...row) => insertCall(contract, tableName, ...row),
    rowState: (rowId, row) => eventTable.stateOf(tableName, rowId.toString(), row),
    rowIds: new RowIds(journal),
    recordIndex: indexer,
    pack: (account, text) => decoder.pack(account, text),
    onStored: (account, rowId) => telemetry.recordStored(account, rowId),
    clock,
    chainWaitMilliseconds,
  });
  const records = new RecordService({
    records: journal.records,
    writer,
    scan: (caller, query) => search.step(caller, query),
    assertWritable: context.assertWritable,
  });
  metrics.gauge("sealbook_records", "Records in the record index", () => journal.records.count());
  metrics.gauge("sealbook_decodes_in_flight", "Transactions being decoded or waiting for it", () => decoder.size);
  const routeDeps: RecordRouteDeps = {
    sessions,
    records,
    decoder,
    storesPerAccount: rateLimit(config.storeRate, "stores", "records stored by this account"),
    searchesPerAccount: rateLimit(config.queryRate, "searches", "searches of this account"),
    audit: rowAudit({ database, key, rpc, table: tableName, onDamage }),
    decodesPerAccount: rateLimit(config.queryRate, "decodes", "transactions decoded for this account"),
  };
  const { findings, isLeader } = context;
  const check = (isStopped: () => boolean): Promise<void> =>
    checkRecordIndex({ database, key, table: tableName, findings, indexer, isLeader }, isStopped);
  return { records, routeDeps, onHead, indexer, decoder, search, foreignWrites, syncLog, check };
}
