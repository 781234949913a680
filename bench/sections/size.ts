import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { chainSize } from "../chain/chain-size.ts";
import { postBulks, postSingles } from "../load/posts.ts";
import type { Bench } from "../run/bench.ts";
import { showProgress } from "../run/progress.ts";
import { startSealbook, type Sealbook } from "../run/sealbook.ts";

const SIZE = 1_000;
const LIMIT_SECONDS = 600;

/** Posts documents until enough are confirmed; returns their number. */
type Fill = (server: Sealbook) => Promise<void>;

/** Measures the size of a proof, on disk and on chain, from the output of a run. */
export async function size(bench: Bench): Promise<void> {
  const { quick } = bench;
  const singles = quick ? 100 : 2_000;
  const bulks = quick ? 5 : 50;
  const empty = await fill(bench, () => Promise.resolve());
  await measure(bench, "one proof a transaction", empty.databaseBytes, (server) =>
    until("size: single posts", singles, (stop) => postSingles(server.url, { clients: 1, ...stop })),
  );
  await measure(bench, `${SIZE} proofs a transaction`, empty.databaseBytes, (server) =>
    until("size: bulk posts", bulks, (stop) => postBulks(server.url, SIZE, { clients: 1, ...stop })),
  );
}

interface Stop {
  readonly label: string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly onResponse: () => void;
}

async function until(label: string, count: number, post: (stop: Stop) => Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  using progress = showProgress(label, count, "posts");
  let done = 0;
  const onResponse = (): void => {
    done += 1;
    progress.update(done);
    if (done >= count) enough.abort();
  };
  await post({ label, warmUpSeconds: 0, seconds: LIMIT_SECONDS, signal: enough.signal, onResponse });
}

async function measure(bench: Bench, name: string, emptyBytes: number, posts: Fill): Promise<void> {
  const { databaseBytes, proofs, chain } = await fill(bench, posts);
  const add = (kind: string, value: number, details = {}): void =>
    bench.report.add({ section: "size", name: `${kind}, ${name}`, value, unit: "bytes a proof", details });
  add("database", (databaseBytes - emptyBytes) / proofs, { proofs });
  const perProof = (bytes: number): number => (bytes * chain.transactions) / proofs;
  const { callData, log, storage, transaction } = chain;
  add("chain", perProof(callData + log + storage), {
    "call data_bytes": perProof(callData),
    log_bytes: perProof(log),
    storage_bytes: perProof(storage),
    "signed transaction_bytes": perProof(transaction),
    transactions: chain.transactions,
  });
}

async function fill({ root }: Bench, posts: Fill) {
  await using server = await startSealbook(root);
  await posts(server);
  const chain = await chainSize(server.chainUrl, server.directory);
  await server.end();
  return { chain, ...(await databaseSize(join(server.directory, "sealbook.sqlite"))) };
}

async function databaseSize(file: string): Promise<{ databaseBytes: number; proofs: number }> {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const count = database.prepare("SELECT max(proofs) AS proofs FROM entries").get()?.["proofs"];
  database.close();
  return { databaseBytes: (await stat(file)).size, proofs: Number(count) };
}
