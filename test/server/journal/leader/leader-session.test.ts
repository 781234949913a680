import { assert } from "chai";
import { type Database, openDatabase } from "../../../../server/journal/engine/database.ts";
import { SharedPostgres } from "../../../../server/journal/engine/postgres.ts";
import { leaderOf } from "../../../../server/journal/leader/leader-of.ts";
import { Candidate } from "../../../../server/journal/leader/candidate.ts";
import type { LeaderSession } from "../../../../server/journal/leader/leader-session.ts";
import { emptyDatabase } from "../../../support/database.ts";
import type { EngineDatabase } from "../../../support/engine-database.ts";
import { eventually } from "../../../support/eventually.ts";
import { startTcpProxy } from "../../../support/tcp-proxy.ts";
import { thrownBy } from "../../../support/thrown.ts";

describe("the leader of a PostgreSQL database", () => {
  let empty: EngineDatabase;
  let shared: SharedPostgres;
  const sessions: LeaderSession[] = [];

  beforeEach(async () => {
    empty = await emptyDatabase("postgres");
    await (await openDatabase(empty.connect())).destroy();
    shared = new SharedPostgres(empty.url, () => undefined);
  });
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.end();
    await shared.close();
    await empty.remove();
  });

  const candidate = (holder: string, silenceMilliseconds?: number): Candidate =>
    new Candidate(empty.url, { holder, silenceMilliseconds });
  const lead = async (holder: string, silenceMilliseconds?: number): Promise<LeaderSession> => {
    const session = await candidate(holder, silenceMilliseconds).attempt();
    if (session === undefined) return assert.fail("another one leads");
    sessions.push(session);
    return session;
  };
  const write = (database: Database, name: string) =>
    database.insertInto("login_sources").values({ login: name, source: "", logged_in_at: 0 }).execute();
  const written = async (): Promise<unknown[]> =>
    (await empty.query("select login from login_sources order by login")).map(({ login }) => login);
  const terminate = (): Promise<unknown> =>
    empty.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sealbook leader' " +
        "and datname = current_database()",
    );

  it("is one at a time; each leadership has a higher number", async () => {
    const first = await lead("one");
    assert.isUndefined(await candidate("two").attempt());
    assert.deepEqual(await leaderOf(shared.database(() => undefined)), { holder: "one", epoch: first.epoch });
    await first.end();
    const second = await lead("two");
    assert.equal(second.epoch, first.epoch + 1);
    assert.deepEqual(await leaderOf(shared.database(() => undefined)), { holder: "two", epoch: second.epoch });
  });

  it("is waited for without a statement that waits in the database", async () => {
    const first = await lead("one");
    const stop = new AbortController();
    const waiting = candidate("two").wait(stop.signal);
    await first.end();
    const next = (await waiting) ?? assert.fail("nobody leads");
    sessions.push(next);
    assert.equal(next.epoch, first.epoch + 1);
    const other = candidate("three").wait(stop.signal);
    stop.abort();
    assert.isUndefined(await other);
  });

  it("writes, and others only read", async () => {
    const session = await lead("one");
    await write(
      shared.database(() => session),
      "a",
    );
    const follower = shared.database(() => undefined);
    assert.lengthOf(await follower.selectFrom("login_sources").selectAll().execute(), 1);
    assert.propertyVal(await thrownBy(write(follower, "b")), "code", "not_leader");
    assert.propertyVal(await thrownBy(follower.transaction().execute(async () => undefined)), "code", "not_leader");
    assert.deepEqual(await written(), ["a"]);
  });

  it("writes nothing more once its session is lost, in a transaction as well", async () => {
    const session = await lead("one");
    const database = shared.database(() => session);
    const cut = database.transaction().execute(async (transaction) => {
      await write(transaction, "a");
      await terminate();
      await write(transaction, "b");
    });
    await thrownBy(cut);
    assert.isTrue(session.lost.aborted);
    assert.propertyVal(await thrownBy(write(database, "c")), "code", "not_leader");
    assert.isEmpty(await written());
    assert.equal((await lead("two")).epoch, session.epoch + 1);
  });

  it("says of a commit without a response that its outcome is not known", async () => {
    const url = new URL(empty.url);
    const proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    try {
      const session = (await new Candidate(url.href, { holder: "one" }).attempt()) ?? assert.fail("another one leads");
      sessions.push(session);
      const work = async (transaction: Database): Promise<void> => {
        await write(transaction, "a");
        proxy.deaf = true;
      };
      const lost = thrownBy(
        shared
          .database(() => session)
          .transaction()
          .execute(work),
      );
      await eventually(async () => assert.deepEqual(await written(), ["a"]));
      proxy.cut();
      assert.propertyVal(await lost, "code", "outcome_unknown");
    } finally {
      await proxy.close();
    }
  });

  // As with two leaders behind a pooler that does not keep sessions.
  it("writes nothing more once another one has led, whatever has become of the lock", async () => {
    const session = await lead("one");
    const database = shared.database(() => session);
    await write(database, "a");
    await empty.query("update leader set epoch = epoch + 1, holder = 'two'");
    assert.propertyVal(await thrownBy(write(database, "b")), "code", "not_leader");
    assert.isTrue(session.lost.aborted);
    assert.deepEqual(await written(), ["a"]);
  });

  it("survives a statement that the database refuses", async () => {
    const session = await lead("one");
    const database = shared.database(() => session);
    await write(database, "a");
    assert.match((await thrownBy(write(database, "a"))).message, /duplicate/);
    await write(database, "b");
    assert.isFalse(session.lost.aborted);
  });

  it("keeps its session while nothing is written, and loses it when it does nothing in a transaction", async () => {
    const session = await lead("one", 600);
    const database = shared.database(() => session);
    const age =
      "select now() - backend_start > interval '1500 ms' as long from pg_stat_activity " +
      "where application_name = 'sealbook leader' and datname = current_database()";
    await eventually(async () => assert.deepEqual(await empty.query(age), [{ long: true }]));
    await write(database, "a");
    const halting = database.transaction().execute(async (transaction) => {
      await write(transaction, "b");
      await eventually(async () => assert.isTrue(session.lost.aborted));
    });
    await thrownBy(halting);
    assert.deepEqual(await written(), ["a"]);
  });

  it("is found again after an outage of the database", async () => {
    const first = await lead("one");
    const stop = new AbortController();
    const waiting = candidate("two").wait(stop.signal);
    // Of the leader, and of the candidate that asks for the lock.
    for (let round = 0; round < 3; round += 1) await terminate();
    const next = (await waiting) ?? assert.fail("nobody leads");
    sessions.push(next);
    assert.isTrue(first.lost.aborted);
    assert.isAbove(next.epoch, first.epoch);
  });
});
