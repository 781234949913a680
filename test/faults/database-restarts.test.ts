import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { emptyDatabase } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments } from "../support/exactly-once.ts";
import { type Load, startLoad } from "../support/load.ts";
import { type PostgresCluster, startPostgresCluster } from "../support/postgres-cluster.ts";
import { postgresDatabase } from "../support/postgres-database.ts";
import type { ServerProcess } from "../support/process.ts";
import { startRelayerPair } from "../support/relayer-pair.ts";

/** Two relayers on a database, each kept busy by its own clients, at whom something happens meanwhile. */
async function underLoad(
  database: EngineDatabase,
  happens: (servers: readonly ServerProcess[], loads: readonly Load[]) => Promise<void>,
  expected: readonly number[],
): Promise<void> {
  const pair = await startRelayerPair(database);
  try {
    await pair.mine();
    const servers: ServerProcess[] = [];
    for (const seat of pair.seats) servers.push(await seat.start({ BATCH_MAX_AGE: "1", PROOF_WAIT: "5" }));
    const loads = servers.map((server) => startLoad(server, expected));
    await happens(servers, loads);
    for (const load of loads) await load.end();
    const accepted = loads.flatMap((load) => load.accepted);
    for (const server of servers) await assertExactlyOnce(server, pair.url, { accepted });
  } finally {
    await pair.close();
  }
}

const allConfirm = async (loads: readonly Load[], more: number): Promise<void> => {
  await Promise.all(loads.map((load) => load.confirms(more)));
};

describe("two relayers under simultaneous load", () => {
  it("anchor every hash once", async () =>
    underLoad(await emptyDatabase("postgres"), (_servers, loads) => allConfirm(loads, 40), [201, 202]));
});

describe("a PostgreSQL server under the load of two relayers", () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgresCluster(true);
  });
  after(() => cluster.remove());

  it("restarts, crashes and is unavailable: no hash is lost or duplicated, and the relayers recover", async () => {
    const database = await postgresDatabase(cluster);
    const outage = async ([server]: readonly ServerProcess[], loads: readonly Load[]): Promise<void> => {
      const before = loads.map(({ refused }) => refused);
      await eventually(async () => loads.forEach(({ refused }, index) => assert.isAbove(refused, before[index] ?? 0)));
      for (const response of [
        await server?.post("/api/v1/proof", freshDocuments(1)[0]),
        await server?.get("/api/v1/proof/none"),
      ]) {
        assert.equal(response?.status, 503, response?.text);
        assert.equal(response?.body.type, "urn:sealbook:problem:journal_unavailable");
        assert.match(response?.headers.get("retry-after") ?? "", /^[1-9]/);
      }
      const status = await server?.get("/api/v1/status");
      assert.deepEqual([status?.status, status?.body.status], [200, "down"], status?.text);
      assert.include(
        status?.body.problems.map(({ part }: { part: string }) => part),
        "journal.records",
      );
    };
    await underLoad(
      database,
      async (servers, loads) => {
        await allConfirm(loads, 10);
        for (const mode of ["fast", "immediate"] as const) {
          await cluster.stop(mode);
          try {
            await outage(servers, loads);
          } finally {
            await cluster.start();
          }
          await allConfirm(loads, 10);
        }
        // When one of its processes is killed a server ends all of them, and starts anew from its log.
        const [busy] = await cluster.query(
          "select pid from pg_stat_activity where application_name = 'sealbook' limit 1",
        );
        process.kill(Number(busy?.["pid"]), "SIGKILL");
        await allConfirm(loads, 10);
        for (let round = 0; round < 20; round += 1) {
          await cluster.query(
            "select pg_terminate_backend(pid) from pg_stat_activity " +
              "where application_name = 'sealbook' and random() < 0.5",
          );
          await sleep(50);
        }
        await allConfirm(loads, 10);
        for (const server of servers) assert.notInclude(server.output(), new URL(database.url).password);
      },
      [201, 202, 503],
    );
  });
});
