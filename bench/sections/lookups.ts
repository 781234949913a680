import { randomInt } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database } from "../../server/journal/engine/database.ts";
import { openPostgres } from "../../server/journal/engine/postgres.ts";
import { openSqlite } from "../../server/journal/engine/sqlite.ts";
import { encodeRows } from "../../server/journal/replication/replica-object.ts";
import { storedRows } from "../../server/journal/entries/journal-rows.ts";
import { startPostgresCluster } from "../../test/support/postgres-cluster.ts";
import {
  acceptBatch,
  BATCH_SIZE,
  type BenchJournal,
  fillJournal,
  journalOver,
  proofNumber,
  rootOf,
  transactionOf,
} from "../load/filled-journal.ts";
import type { Bench } from "../run/bench.ts";
import { showProgress } from "../run/progress.ts";
import { atMost } from "../run/result.ts";

const LOOKUPS = 3_000;
const WARM_UP = 300;
/** Batches accepted at the end, to measure an acceptance in a journal of this size. */
const ACCEPTED = 50;
/** Warm-up batches, which do not count. */
const ACCEPTED_BEFORE = 20;
const MAX_MILLISECONDS = 1;
/** 30 GB a month at 100 proofs a second. */
const MAX_BYTES = 116;
const OBJECT_ENTRIES = 10_000;
/** The memory that PostgreSQL has on a small server. */
const POSTGRES_SETTINGS = {
  shared_buffers: "1GB",
  max_wal_size: "4GB",
  // Reports the server's own time for planning and execution.
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_planning": "on",
};

/** An engine to fill and query. */
interface Engine {
  readonly name: string;
  open(): Promise<Database>;
  /** Size of the journal on disk, with indexes; called while it is closed. */
  bytes(): Promise<number>;
  /** Milliseconds that the server spent since the last call; missing if the engine is part of this process. */
  spent?(): Promise<number>;
}

/** Measures the duration of a lookup in a large journal, and the size of a proof there, on each engine. */
export async function lookups(bench: Bench): Promise<void> {
  await onSqlite(bench);
  await onPostgres(bench);
}

async function onSqlite(bench: Bench): Promise<void> {
  const directory = await mkdtemp(join(bench.root, "lookups-"));
  const file = join(directory, "journal.sqlite");
  // Closing merges the log into the file.
  await measure(
    bench,
    { name: "SQLite", open: () => openSqlite(file), bytes: async () => (await stat(file)).size },
    MAX_BYTES,
  );
  await rm(directory, { recursive: true });
}

async function onPostgres(bench: Bench): Promise<void> {
  const cluster = await startPostgresCluster(true, POSTGRES_SETTINGS);
  try {
    const name = await cluster.createDatabase();
    const bytes = async (): Promise<number> => {
      const [row] = await cluster.query(`select pg_database_size('${name}')::text as bytes`);
      return Number(row?.["bytes"]);
    };
    await cluster.query("create extension pg_stat_statements", name);
    const spent = async (): Promise<number> => {
      const [row] = await cluster.query(
        "select sum(total_plan_time + total_exec_time) as spent from pg_stat_statements",
        name,
      );
      await cluster.query("select pg_stat_statements_reset()", name);
      return Number(row?.["spent"]);
    };
    await measure(bench, {
      name: "PostgreSQL",
      open: () => openPostgres(cluster.url(name)),
      bytes,
      spent,
    });
  } finally {
    await cluster.stop("immediate");
  }
}

async function measure(bench: Bench, engine: Engine, maxBytes?: number): Promise<void> {
  const { report, quick } = bench;
  const proofs = quick ? 1_000_000 : 10_000_000;
  const batches = proofs / BATCH_SIZE;
  const add = (name: string, value: number, unit: string, rest = {}): void =>
    report.add({
      section: "lookups",
      name: `${engine.name}, ${proofs.toLocaleString("en-US")} proofs: ${name}`,
      value,
      unit,
      ...rest,
    });

  const empty = await engine.open().then(async (database) => {
    await database.destroy();
    return engine.bytes();
  });
  const filling = await engine.open();
  await fill(filling, engine.name, batches);
  if (engine.name === "SQLite") add("replica", await replicaBytes(filling), "bytes a proof");
  await filling.destroy();
  const bytes = ((await engine.bytes()) - empty) / proofs;
  add(
    "database",
    bytes,
    "bytes a proof",
    maxBytes === undefined ? {} : { targets: [atMost(bytes, maxBytes, "bytes")] },
  );

  const ways = waysToLook(proofs);
  for (const [way, look] of ways) {
    // The engine's own cache is empty now; the operating system's cache cannot be emptied from here.
    const database = await engine.open();
    const { proofs: store, anchors } = journalOver(database);
    const numbers = Array.from({ length: LOOKUPS }, () => randomInt(proofs));
    for (let index = 0; index < WARM_UP; index += 1) await look(store, anchors, randomInt(proofs));
    for (const round of ["first time", "again"]) {
      await engine.spent?.();
      const milliseconds: number[] = [];
      for (const number of numbers) {
        const start = performance.now();
        const found = await look(store, anchors, number);
        milliseconds.push(performance.now() - start);
        if (!found) throw new Error(`proof ${number} was not found by its ${way}`);
      }
      const spent = await engine.spent?.();
      milliseconds.sort((a, b) => a - b);
      const at = (part: number): number => milliseconds[Math.floor(part * LOOKUPS)] ?? 0;
      const databaseTime = spent === undefined ? at(0.5) : spent / LOOKUPS;
      add(`by ${way}, ${round}`, databaseTime, "ms of database time", {
        details: { "for the caller, p50_ms": at(0.5), "for the caller, p99_ms": at(0.99) },
        targets: [atMost(databaseTime, MAX_MILLISECONDS, "ms")],
      });
    }
    await database.destroy();
  }

  const database = await engine.open();
  const journal = journalOver(database);
  const accept = async (first: number, count: number): Promise<void> => {
    for (let batch = first; batch < first + count; batch += 1) await acceptBatch(journal, batch);
  };
  await accept(batches, ACCEPTED_BEFORE);
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await accept(batches + ACCEPTED_BEFORE, ACCEPTED);
  const [wall, { user, system }] = [performance.now() - start, process.cpuUsage(cpu)];
  const rows = ACCEPTED * BATCH_SIZE;
  add("accepting", (wall * 1000) / rows, "µs a proof", {
    details: { "this process's processor_µs": (user + system) / rows },
  });
  await database.destroy();
}

type Look = (proofs: BenchJournal["proofs"], anchors: BenchJournal["anchors"], number: number) => Promise<boolean>;

function waysToLook(proofs: number): Map<string, Look> {
  const batchOf = (number: number): number => Math.floor((number % proofs) / BATCH_SIZE);
  return new Map<string, Look>([
    [
      "document hash",
      async (store, _, number) => (await Array.fromAsync(store.byHash(proofNumber(number).hash))).length === 1,
    ],
    ["document id", async (store, _, number) => (await store.byDocument(proofNumber(number).documentId)).length === 1],
    [
      "recorded hash",
      async (store, _, number) => (await store.byRecordHashes([proofNumber(number).recordHash])).length === 1,
    ],
    [
      "transaction",
      async (_, anchors, number) => (await anchors.byTransaction(transactionOf(batchOf(number)))) !== undefined,
    ],
    ["root", async (_, anchors, number) => (await anchors.byHash(rootOf(batchOf(number)))) !== undefined],
  ]);
}

async function fill(database: Database, engine: string, batches: number): Promise<void> {
  using progress = showProgress(`lookups: filling ${engine}`, batches * BATCH_SIZE, "proofs");
  await fillJournal(database, batches, (batch) => progress.update(batch * BATCH_SIZE));
  // The server does the same sooner or later.
  if (engine === "PostgreSQL") await sql`vacuum analyze`.execute(database);
}

/** Computes the size of a proof in a full object of a replica. */
async function replicaBytes(database: Database): Promise<number> {
  const rows = await Array.fromAsync(storedRows(database, 0, OBJECT_ENTRIES));
  return encodeRows({ journal: "31337:0x00", nameCode: new Uint8Array(32) }, rows).length / (rows.at(-1)?.last ?? 0);
}
