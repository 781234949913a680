import { rateLimit } from "../http/rate-limit.ts";
import { RecordSearch } from "../records/record-search.ts";
import { rowAudit } from "../records/row-audit.ts";
import type { RecordRouteDeps } from "../records/routes.ts";
import { checkRecordIndex } from "../records/index-check.ts";
import { EventTableClient } from "../chain/contracts/event-table-client.ts";
import { RecordWriter } from "../records/record-writer.ts";
import { RowIds } from "../records/row-ids.ts";
import { RECORD_INDEX } from "../journal/findings/subject.ts";
import { insertCall } from "../records/event-table.ts";
import { RecordService } from "../records/service.ts";
import type { Context } from "./context.ts";
import type { RecordIndex } from "./record-index.ts";
import type { Sessions } from "./sessions.ts";
import type { RelayerTransactions } from "./transactions.ts";

export type Records = ReturnType<typeof createRecords>;

/** Builds the records over their local index. */
export function createRecords(
  context: Context,
  index: RecordIndex,
  { sender: transactions }: RelayerTransactions,
  { sessions }: Pick<Sessions, "sessions">,
) {
  const { journal, database, metrics, clock, workers } = context;
  const { records: config, database: location } = context.config;
  const { storage, journalKey: key } = context.opened;
  const { rpc } = context.link;
  const { indexer, contract, decoder, foreignWrites, syncLog } = index;
  const { tableName, chainWaitMilliseconds } = config;
  const onDamage = (message: string): void => context.findings.journalDiverged(RECORD_INDEX, message);
  const search = new RecordSearch(workers, location, () => storage.assertInPlace());
  const eventTable = new EventTableClient(rpc, contract.address);
  const writer = new RecordWriter({
    journal,
    transactions,
    insertCall: (...row) => insertCall(contract, tableName, ...row),
    rowState: (rowId, row) => eventTable.stateOf(tableName, rowId.toString(), row),
    rowIds: new RowIds(journal),
    recordIndex: indexer,
    pack: (account, text) => decoder.pack(account, text),
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
  return { records, routeDeps, indexer, decoder, search, foreignWrites, syncLog, check };
}
