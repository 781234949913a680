import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { emptyDatabase, sharedCluster } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, idOf, type ProofRequest } from "../support/exactly-once.ts";
import type { ServerProcess } from "../support/process.ts";
import { FAST_CHANGE, type RelayerPair, startRelayerPair } from "../support/relayer-pair.ts";
import { FAST_RECHECK } from "../support/server.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

/** With a number in LEADER_FAULTS as many, with the silence limit of production, and with the times that they took. */
const { LEADER_FAULTS } = process.env;
const FAULTS = Number(LEADER_FAULTS ?? 10);
const OVERRIDES = LEADER_FAULTS === undefined ? FAST_CHANGE : FAST_RECHECK;
const KINDS = ["kill", "halt", "cut", "close", "terminate"] as const;
/** Pause of a client between two posts: every document is looked up at the end. */
const REST_MILLISECONDS = 300;
const CLIENTS = 6;
/** Documents that are accepted between two faults. */
const BETWEEN = LEADER_FAULTS === undefined ? 10 : 100;
/** Documents of a bulk post, which every other client makes. */
const BULK = 10;
const ATTEMPT_MILLISECONDS = 50;
/** A relayer that halts gives no response. */
const POST_MILLISECONDS = 20_000;

interface Seat {
  server: ServerProcess;
  /** Between the relayer and the database. */
  readonly proxy: TcpProxy;
  start(): Promise<ServerProcess>;
}

describe("two relayers under load, of which the leader fails again and again", () => {
  let database: EngineDatabase;
  let pair: RelayerPair;
  const seats: Seat[] = [];
  const accepted: ProofRequest[] = [];
  /** Documents that no relayer took: none of them may be in the journal. */
  const refused: ProofRequest[] = [];
  const unacknowledged: ProofRequest[] = [];
  let ended = false;

  before(async () => {
    database = await emptyDatabase("postgres");
    pair = await startRelayerPair(database);
    await pair.mine();
    for (const { start } of pair.seats) {
      const url = new URL(database.url);
      const proxy = await startTcpProxy(Number(url.port));
      url.port = String(proxy.port);
      const begin = () => start({ DATABASE_URL: url.href, BATCH_MAX_AGE: "1", PROOF_WAIT: "1" }, OVERRIDES);
      seats.push({ server: await begin(), proxy, start: begin });
    }
  });
  after(async () => {
    ended = true;
    await pair.close();
    for (const { proxy } of seats) await proxy.close();
  });

  /** Posts documents; returns whether they were accepted. */
  const post = async (server: ServerProcess, count = 1): Promise<boolean> => {
    const documents = freshDocuments(count);
    const late = sleep(POST_MILLISECONDS, undefined, { ref: false });
    const posted =
      count === 1 ? server.post("/api/v1/proof", documents[0]) : server.post("/api/v1/proof/batch", { documents });
    const response = await Promise.race([posted.catch(() => undefined), late]);
    const { status = 503, text = "", body } = response ?? {};
    assert.oneOf(status, [201, 202, 503], text);
    const isRefused = ["not_leader", "journal_unavailable"].some(
      (code) => body?.type === `urn:sealbook:problem:${code}`,
    );
    (status !== 503 ? accepted : isRefused ? refused : unacknowledged).push(...documents);
    return status !== 503;
  };
  const client = async (index: number): Promise<void> => {
    while (!ended) {
      await post(seats[index % 2]?.server ?? assert.fail(), index % 4 < 2 ? 1 : BULK);
      await sleep(REST_MILLISECONDS);
    }
  };
  const leadsAt = async (server: ServerProcess): Promise<boolean> => (await server.get("/readyz")).body?.leads === true;
  const leader = (): Promise<0 | 1> =>
    eventually(async () => {
      const leads = await Promise.all(seats.map(({ server }) => leadsAt(server)));
      assert.lengthOf(leads.filter(Boolean), 1, "relayers that lead");
      return leads[0] === true ? 0 : 1;
    });
  const epoch = async (): Promise<number> => Number((await database.query("select epoch from leader"))[0]?.["epoch"]);

  /** Makes the leader fail; the result puts it right. */
  const fail = async (kind: (typeof KINDS)[number], seat: Seat): Promise<() => Promise<void>> => {
    switch (kind) {
      case "kill":
        await seat.server.end("SIGKILL");
        return async () => void (seat.server = await seat.start());
      case "halt":
        await seat.server.pause();
        return async () => seat.server.resume();
      case "cut":
        // Also the response to a commit is lost.
        seat.proxy.deaf = true;
        return async () => {
          seat.proxy.deaf = false;
          seat.proxy.cut();
        };
      case "close":
        seat.proxy.cut();
        return async () => undefined;
      case "terminate":
        await (
          await sharedCluster()
        ).query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sealbook leader' " +
            `and datname = '${new URL(database.url).pathname.slice(1)}'`,
        );
        return async () => undefined;
    }
  };

  it("lose no accepted document, and anchor none twice", async () => {
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
    // The test waits for them.
    clients.catch(() => undefined);
    const times = new Map<string, number[]>();
    for (let fault = 0; fault < FAULTS; fault += 1) {
      const kind = KINDS[fault % KINDS.length] ?? "kill";
      const index = await leader();
      const [failing, other] = [seats[index] ?? assert.fail(), seats[1 - index] ?? assert.fail()];
      const before = await epoch();
      const begun = performance.now();
      const restore = await fail(kind, failing);
      // Of those that respond; one that fails can say so of itself until it knows.
      await eventually(async () => {
        assert.isAbove(await epoch(), before);
        await Promise.any(
          (kind === "close" || kind === "terminate" ? seats : [other]).map(async ({ server }) =>
            assert.isTrue(await leadsAt(server)),
          ),
        );
      });
      times.set(kind, [...(times.get(kind) ?? []), Math.round(performance.now() - begun)]);
      // A call that waits for a relayer that is halted ends when another one leads.
      while (!(await post(other.server))) await sleep(ATTEMPT_MILLISECONDS);
      await restore();
      const count = accepted.length + BETWEEN;
      await Promise.race([clients, eventually(async () => assert.isAtLeast(accepted.length, count))]);
    }
    ended = true;
    await clients;
    await leader();
    if (LEADER_FAULTS !== undefined) {
      console.table([...times].map(([kind, each]) => ({ kind, count: each.length, milliseconds: each.join(" ") })));
      console.log(`accepted ${accepted.length}, refused ${refused.length}, no answer ${unacknowledged.length}`);
    }
    for (const { server } of seats) {
      for (const document of refused) assert.equal((await server.get(`/api/v1/proof/${idOf(document)}`)).status, 404);
      await assertExactlyOnce(server, pair.url, { accepted, unacknowledged });
    }
    assert.isNotEmpty(accepted);
  });
});
