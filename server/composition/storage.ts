import { dirname } from "node:path";
import type { Config } from "../config/config.ts";
import { freeBytesOf, probeDatabase, StorageMonitor } from "../operations/storage-monitor.ts";
import type { Foundation } from "./foundation.ts";
import type { Opened } from "./resources.ts";

/** Builds the monitor of the journal's files, database and disk. */
export function createStorageMonitor(
  { database, telemetry, metrics, clock }: Foundation,
  config: Pick<Config, "dataDirectory" | "database" | "journal">,
  { storage }: Pick<Opened, "storage">,
): StorageMonitor {
  const directories = [
    config.dataDirectory,
    ...(config.database.kind === "sqlite" ? [dirname(config.database.file)] : []),
  ];
  const monitor = new StorageMonitor({
    fault: () => storage.fault(),
    isFailing: () => telemetry.counts().isJournalFailing,
    probe: () => probeDatabase(database, clock),
    freeBytes: () => freeBytesOf(directories),
    minimumFreeBytes: config.journal.minimumFreeBytes,
    telemetry,
  });
  metrics.gauge("sealbook_journal_writable", "Whether the journal can be written (1) or not (0)", () =>
    monitor.state().writable ? 1 : 0,
  );
  metrics.gauge("sealbook_disk_free_bytes", "Free space on the disk of the journal", () => monitor.state().freeBytes);
  return monitor;
}
