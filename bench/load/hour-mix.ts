import { randomBytes } from "node:crypto";
import type { RecordSession } from "../../client/index.ts";
import { Documents } from "./documents.ts";
import type { HttpRequest, Outcome } from "./http-request.ts";

const BULK_SIZE = 100;
const SEARCH_LIMIT = 10;
/** Maximum number of proofs for lookups; the newest are kept. */
const MOST_KNOWN = 10_000;

/** An activity with its frequency per hour. */
export interface Activity {
  readonly name: string;
  readonly times: number;
  /** Expected outcomes; for an intentionally invalid request, the error. */
  readonly expected: readonly Outcome[];
  readonly run: () => Promise<Outcome>;
}

/**
 * The load of an hour at 100 hashes/s: mostly bulk posts, some single posts, lookups, one record per second with its
 * searches, and invalid requests.
 * @param share of the hour
 * @param onHashes Called with the number of confirmed hashes
 */
export function hourMix(
  request: HttpRequest,
  session: RecordSession,
  share: number,
  onHashes: (count: number) => void,
): Activity[] {
  const documents = new Documents();
  const known: { id: string; hash: string }[] = [];
  let kept = 0;
  const anyKnown = () => known[Math.floor(Math.random() * known.length)];
  const times = (count: number): number => Math.ceil(count * share);
  const proved = (outcome: Outcome, count: number): Outcome => {
    if (outcome === 201) onHashes(count);
    return outcome;
  };
  let stored = 0;

  const single = async (): Promise<Outcome> => {
    const document = documents.next();
    const { outcome, body } = await request("POST", "/api/v1/proof", JSON.stringify(document));
    const id = /"id":"([0-9a-f]{64})"/.exec(body)?.[1];
    if (id !== undefined) known[(kept += 1) % MOST_KNOWN] = { id, hash: document.hash };
    return proved(outcome, 1);
  };
  const bulk = async (): Promise<Outcome> =>
    proved((await request("POST", "/api/v1/proof/batch", documents.bulk(BULK_SIZE))).outcome, BULK_SIZE);
  const lookUp = async (path: (proof: { id: string; hash: string }) => string): Promise<Outcome> => {
    const proof = anyKnown();
    return proof === undefined ? 200 : (await request("GET", path(proof))).outcome;
  };
  const plain =
    (method: "GET" | "POST", path: string, body?: () => string, headers?: Record<string, string>) => async () =>
      (await request(method, path, body?.(), headers)).outcome;
  const store = async (): Promise<Outcome> => {
    stored += 1;
    await session.store({
      code: `station-${stored % 100}`,
      topic: "PM2.5",
      payload: { sensorvalue: stored / 10, sensordevice: "SDS011" },
    });
    return 200;
  };
  const search = async (): Promise<Outcome> => {
    for await (const _ of session.search({ field: "code", value: `station-${stored % 100}`, limit: SEARCH_LIMIT }))
      break;
    return 200;
  };
  const wrongLogin = (): string => {
    const credentials = { login: `0x${randomBytes(20).toString("hex")}`, password: "wrong" };
    return JSON.stringify({ method: "GET", route: "/api/admin/auth", credentials });
  };

  return [
    { name: "bulk posts", times: times(3_000), expected: [201], run: bulk },
    { name: "single posts", times: times(60_000), expected: [201], run: single },
    {
      name: "verified hashes",
      times: times(30_000),
      expected: [200],
      run: () => lookUp(({ hash }) => `/api/v1/verify?hash=${hash}`),
    },
    {
      name: "proofs looked up",
      times: times(30_000),
      expected: [200],
      run: () => lookUp(({ id }) => `/api/v1/proof/${id}`),
    },
    { name: "records stored", times: times(3_600), expected: [200], run: failing(store) },
    { name: "searches", times: times(3_600), expected: [200], run: failing(search) },
    { name: "status requests", times: times(720), expected: [200], run: plain("GET", "/api/v1/status") },
    { name: "collections of the metrics", times: times(240), expected: [200], run: plain("GET", "/metrics") },
    {
      name: "malformed posts",
      times: times(600),
      expected: [400],
      run: plain("POST", "/api/v1/proof", () => '{"document_id":"x","hash":"12"}'),
    },
    {
      name: "unknown documents",
      times: times(600),
      expected: [404],
      run: plain("GET", "/api/v1/proof/never-recorded"),
    },
    {
      name: "wrong keys",
      times: times(300),
      expected: [401],
      run: plain("GET", "/api/v1/status", undefined, { "X-API-Key": "sbk_0000_wrong" }),
    },
    { name: "wrong passwords", times: times(30), expected: [401], run: plain("POST", "/api", wrongLogin) },
  ];
}

/** Converts the errors of the client to outcomes with their code. */
function failing(run: () => Promise<Outcome>): () => Promise<Outcome> {
  return () =>
    run().catch((error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)));
}
