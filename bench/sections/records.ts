import { Documents } from "../load/documents.ts";
import { closedLoop, type ClosedLoop } from "../load/closed-loop.ts";
import { latencyDetails, type LoadFigures } from "../load/latencies.ts";
import { RecordsApi } from "../load/records-api.ts";
import { sequence } from "../load/sequence.ts";
import type { Bench } from "../run/bench.ts";
import { atLeast, type Target } from "../run/result.ts";
import { startSealbook } from "../run/sealbook.ts";

const STORING_CLIENTS = [1, 64];
const READING_CLIENTS = 16;
const SEARCH_LIMIT = 10;

/** Measures the records of API 1, and other requests to a server with data. */
export async function records(bench: Bench): Promise<void> {
  const { report, root, quick, seconds, warmUpSeconds } = bench;
  const rates = { STORE_RATE: "1000000", QUERY_RATE: "1000000" };
  await using server = await startSealbook(root, { SESSION_LIFETIME: "3600", ...rates });
  const add = (name: string, unit: string, figures: LoadFigures, targets: Target[] = []): void =>
    report.add({ section: "records", name, value: figures.perSecond, unit, details: latencyDetails(figures), targets });
  const load = (name: string, clients: number, rest: Pick<ClosedLoop, "method" | "next" | "check">) =>
    closedLoop({ label: `records: ${name}`, url: server.url, clients, expected: 200, warmUpSeconds, seconds, ...rest });

  const api = new RecordsApi(server.url);
  const demo = await server.demoAccount();
  add("login, one after the other", "logins/s", await sequence(quick ? 3 : 10, () => api.login(demo)));
  add("validate, one after the other", "calls/s", await sequence(quick ? 50 : 500, () => api.validate()));

  const succeeded = (body: string): boolean => body.includes('"status":1}');
  for (const clients of STORING_CLIENTS) {
    const name = `store, ${clients} client${clients === 1 ? "" : "s"}`;
    const figures = await load(name, clients, { method: "POST", next: api.nextStore, check: succeeded });
    add(name, "records/s", figures, clients === 64 ? [atLeast(figures.perSecond, 400, "records/s")] : []);
  }
  for (const [name, value] of [
    ["search by a code", "station-17"],
    ["search by a prefix", "station-1*"],
  ] as const) {
    const check = (body: string): boolean => succeeded(body) && body.includes("station-1");
    const next = () => api.search(value, SEARCH_LIMIT);
    add(
      `${name}, ${READING_CLIENTS} clients`,
      "searches/s",
      await load(name, READING_CLIENTS, { method: "POST", next, check }),
    );
  }

  const known = await acceptSome(server.url, quick ? 100 : 1_000);
  let lookups = 0;
  const nextKnown = (): { id: string; hash: string } => known[(lookups += 1) % known.length] ?? { id: "", hash: "" };
  const isConfirmed = (body: string): boolean => body.includes('"status":"confirmed"');
  add(
    "verify, 16 clients",
    "calls/s",
    await load("verify", READING_CLIENTS, {
      method: "GET",
      next: () => ({ path: `/api/v1/verify?hash=${nextKnown().hash}` }),
      check: (body) => body.includes('"valid":true'),
    }),
  );
  add(
    "get a proof, 16 clients",
    "calls/s",
    await load("get a proof", READING_CLIENTS, {
      method: "GET",
      next: () => ({ path: `/api/v1/proof/${nextKnown().id}` }),
      check: isConfirmed,
    }),
  );
}

/** Posts documents, all at once, and returns their ids. */
async function acceptSome(url: string, count: number): Promise<{ id: string; hash: string }[]> {
  const documents = new Documents();
  return Promise.all(
    Array.from({ length: count }, async () => {
      const document = documents.next();
      const response = await fetch(`${url}/api/v1/proof`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(document),
      });
      if (response.status !== 201)
        throw new Error(`the response to a proof was ${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
      const path = response.headers.get("location") ?? "";
      return { id: path.slice(path.lastIndexOf("/") + 1), hash: document.hash };
    }),
  );
}
