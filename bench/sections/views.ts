import { hash } from "node:crypto";
import { ExplorerClient, ProofClient } from "../../client/index.ts";
import { type RecordSearch, RecordClient } from "../../client/records.ts";
import { closedLoop, type ClosedLoop } from "../load/closed-loop.ts";
import { Documents } from "../load/documents.ts";
import { latencyDetails } from "../load/latencies.ts";
import { RecordsApi } from "../load/records-api.ts";
import { recordDocuments, restoredDocument } from "../load/restored.ts";
import { isConfirmed } from "../load/response-check.ts";
import { sequence } from "../load/sequence.ts";
import type { Bench } from "../run/bench.ts";
import { showProgress } from "../run/progress.ts";
import { below } from "../run/result.ts";
import { type Sealbook, startSealbook } from "../run/sealbook.ts";

const TARGET_MILLISECONDS = 200;
const STORING_CLIENTS = 64;
const MOST_SECONDS = 1_200;
/** Rows of the pages of lists, as the web panel asks for them. */
const PAGE = { documents: 100, explorer: 25, records: 500 };
/** A limit of the explorer counts requests of a network address: each view has one of its own. */
const addressOf = (view: number) => ({ "x-forwarded-for": `10.0.${view}.1` });

/** Measures the requests of the web panel's views, one after the other, to a server with many records and blocks. */
export async function views(bench: Bench): Promise<void> {
  const { root, quick } = bench;
  const counts = quick
    ? { blocks: 100, records: 1_000, documents: 2_000 }
    : { blocks: 8_000, records: 100_000, documents: 100_000 };
  const rates = { STORE_RATE: "1000000", QUERY_RATE: "1000000" };
  await using server = await startSealbook(root, { SESSION_LIFETIME: "7200", ...rates });
  // A block takes the embedded chain the longer the more rows it has: most blocks are made before them.
  await makeBlocks(server, counts.blocks);
  await storeRecords(bench, server, counts.records);
  {
    using progress = showProgress("views: recording documents", counts.documents, "documents");
    await recordDocuments(server.url, counts.documents, (done) => progress.update(done));
  }
  await recordViews(bench, server);
  await documentViews(bench, server, counts.documents);
  await chainViews(bench, server);
}

/** Makes blocks of one document each. */
async function makeBlocks(server: Sealbook, count: number): Promise<void> {
  const documents = new Documents();
  const next = () => ({ path: "/api/v1/proof", body: documents.single() });
  await send("making blocks", count, { url: server.url, clients: 1, expected: 201, next, check: isConfirmed });
}

async function storeRecords({ report }: Bench, server: Sealbook, count: number): Promise<void> {
  const api = new RecordsApi(server.url);
  await api.login(await server.demoAccount());
  const check = (body: string): boolean => body.includes('"status":1}');
  const load = { url: server.url, clients: STORING_CLIENTS, expected: 200, next: api.nextStore, check };
  const tenths = await send("storing records", count, load);
  const [first = 0] = tenths;
  const last = tenths.at(-1) ?? 0;
  report.add({
    section: "views",
    name: `store, ${STORING_CLIENTS} clients, the last tenth of ${count} records`,
    value: count / 10 / last,
    unit: "records/s",
    details: { "the first tenth_records/s": count / 10 / first },
  });
}

type Load = Pick<ClosedLoop, "url" | "clients" | "expected" | "next" | "check">;

/**
 * Posts as many requests as are wanted.
 * @returns the seconds of each tenth of them
 */
async function send(what: string, count: number, load: Load): Promise<number[]> {
  const enough = new AbortController();
  const label = `views: ${what}`;
  using progress = showProgress(label, count, "requests");
  const seconds: number[] = [];
  let begun = performance.now();
  let sent = 0;
  const onResponse = (): void => {
    progress.update((sent += 1));
    if (sent % (count / 10) === 0) {
      seconds.push((performance.now() - begun) / 1000);
      begun = performance.now();
    }
    if (sent >= count) enough.abort();
  };
  const limits = { warmUpSeconds: 0, seconds: MOST_SECONDS, signal: enough.signal };
  await closedLoop({ label, method: "POST", ...load, ...limits, onResponse });
  return seconds.slice(0, 10);
}

/** Runs one request of a view many times. */
async function measure({ report, quick }: Bench, name: string, request: (run: number) => Promise<unknown>) {
  let run = 0;
  const figures = await sequence(quick ? 5 : 200, async () => void (await request((run += 1))));
  report.add({
    section: "views",
    name,
    value: figures.p95,
    unit: "ms p95",
    details: latencyDetails(figures),
    targets: [below(figures.p95, TARGET_MILLISECONDS, "ms")],
  });
}

async function recordViews(bench: Bench, server: Sealbook): Promise<void> {
  const client = new RecordClient(server.url);
  const { login, password } = await server.demoAccount();
  const { tx: token } = (await client.auth(login, password)).tparams;
  const page = (search: Partial<RecordSearch>) => {
    let cursor: string | undefined;
    return async () => {
      const wanted = { field: "code", value: "*", limit: PAGE.records, locations: true, ...search } as const;
      ({ next: cursor } = await client.page(token, wanted, cursor));
    };
  };
  await measure(bench, "records: the newest 100", () => page({ limit: 100 })());
  await measure(bench, "records: 500 older ones", page({}));
  await measure(bench, "records: one code", (run) => page({ value: `station-${run * 5}` })());
  await measure(bench, "records: a code with a star", page({ value: "station-1*7" }));
  await measure(bench, "records: a code that none has", () => page({ value: "*nothing*" })());
  await measure(bench, "records: a topic", page({ field: "topic", value: "PM2.5" }));
  await measure(bench, "map: 1,000 readings", page({ field: "topic", limit: 1_000 }));
}

async function documentViews(bench: Bench, server: Sealbook, count: number): Promise<void> {
  const client = new ProofClient(server.url);
  const inventory = (search: { q?: string; hash?: string }) => {
    let cursor: string | undefined;
    return async () => {
      ({ next: cursor } = await client.inventoryPage({ limit: PAGE.documents, ...search }, cursor));
    };
  };
  const documentOf = (run: number) => restoredDocument((run * 487) % count);
  await measure(bench, "proofs: the newest", () => inventory({})());
  await measure(bench, "proofs: 100 older ones", inventory({}));
  await measure(bench, "proofs: part of a name", inventory({ q: "9/document-" }));
  await measure(bench, "proofs: a name that none has", inventory({ q: "nothing" }));
  await measure(bench, "proofs: a hash", (run) => inventory({ hash: documentOf(run).hash })());
  await measure(bench, "proof: certificate", (run) => client.find(documentOf(run).document_id));
  await measure(bench, "proof: bundle", (run) => client.bundle(documentOf(run).document_id));
  await measure(bench, "verify: a hash", (run) => client.verify(documentOf(run).hash));
  await measure(bench, "home: alerts", () => client.alerts({ limit: 20 }));
  for (const path of ["", "records", "proofs", "explorer", "openapi.json"]) {
    await measure(bench, `page: /${path}`, async () => (await fetch(`${server.url}/${path}`)).arrayBuffer());
  }
}

async function chainViews(bench: Bench, server: Sealbook): Promise<void> {
  let view = 0;
  const clientOf = () => new ExplorerClient(server.url, { headers: addressOf((view += 1)) });
  const { head, contracts } = await clientOf().chain();
  const newest = await clientOf().transactions({ limit: 100, without: "sessions" });
  const old = await clientOf().transactions({ limit: 100, cursor: `${Math.floor(head.number / 2)}-0` });
  const transactions = [...newest.transactions, ...old.transactions];
  const { anchors } = await clientOf().anchors({ limit: 100 });
  const of = <T>(list: readonly T[], run: number): T => {
    const one = list[run % list.length];
    if (one === undefined) throw new Error("the chain has nothing to look at");
    return one;
  };
  const relayer = of(newest.transactions, 0).from;
  bench.report.line({ section: "views", blocks: head.number });
  const inputs = await Promise.all(transactions.slice(0, 20).map(({ hash: tx }) => clientOf().transaction(tx)));
  const blockOf = (run: number) => (run * 7_919) % head.number;

  const explore = async (name: string, request: (client: ExplorerClient, run: number) => Promise<unknown>) => {
    const client = clientOf();
    await measure(bench, `explorer: ${name}`, (run) => request(client, run));
  };
  const paged = (list: (client: ExplorerClient, cursor?: string) => Promise<{ next?: string | undefined }>) => {
    let cursor: string | undefined;
    return async (client: ExplorerClient) => ({ next: cursor } = await list(client, cursor));
  };
  const limit = PAGE.explorer;
  await explore("start", (client) => client.chain());
  await explore(
    "blocks",
    paged((client, cursor) => client.blocks({ limit, cursor })),
  );
  await explore(
    "transactions",
    paged((client, cursor) => client.transactions({ limit, cursor })),
  );
  await explore(
    "transactions without sessions",
    paged((client, cursor) => client.transactions({ limit, cursor, without: "sessions" })),
  );
  await explore(
    "anchors",
    paged((client, cursor) => client.anchors({ limit, cursor })),
  );
  await explore("block", (client, run) => client.block(blockOf(run)));
  await explore("transaction", (client, run) => client.transaction(of(transactions, run).hash));
  await explore("anchor", (client, run) => client.anchor(of(anchors, run).hash));
  await explore("decode", (client, run) => client.decode(of(inputs, run)?.input ?? "0x"));
  await explore("address of the relayer", (client) => client.address(relayer));
  await explore(
    "activity of the relayer",
    paged((client, cursor) => client.activity(relayer, { limit, cursor })),
  );
  await explore(
    "activity of a contract",
    paged((client, cursor) => client.activity(contracts.EventTable, { limit, cursor })),
  );
  await explore("search for a transaction", (client, run) => client.search(of(transactions, run).hash));
  await explore("search for nothing known", (client, run) => client.search(`0x${hash("sha256", `${run}`)}`));
}
