import { KEY } from "../../../support/journal-key.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { Kysely, sql } from "kysely";
import { type Database, openDatabase } from "../../../../server/journal/engine/database.ts";
import { createJournal } from "../../../../server/composition/journal.ts";
import { openPostgres, postgresDialect } from "../../../../server/journal/engine/postgres.ts";
import { SealbookError } from "../../../../server/errors.ts";
import { parseSearchPattern } from "../../../../server/records/record.ts";
import { recordIndexStore } from "../../../../server/records/record-index.ts";
import { emptyDatabase, sharedCluster } from "../../../support/database.ts";
import { rowEntry } from "../../../support/row-entry.ts";
import type { EngineDatabase } from "../../../support/engine-database.ts";
import { eventually } from "../../../support/eventually.ts";
import type { PostgresServer } from "../../../support/postgres-cluster.ts";
import { searchRecords } from "../../../support/search-records.ts";

/** A row of a table that one statement changes. */
const ROW = { login: "t", source: "", logged_in_at: 0 };
const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };

describe("PostgreSQL", function () {
  let cluster: PostgresServer;
  let empty: EngineDatabase;
  let database: Database;
  before(async () => {
    cluster = await sharedCluster();
  });
  beforeEach(async () => {
    empty = await emptyDatabase("postgres");
    database = await openDatabase(empty.connect());
  });
  afterEach(async () => {
    await database.destroy();
    await empty.remove();
  });

  const count = (on: Database) =>
    on
      .updateTable("login_sources")
      .set({ logged_in_at: sql`logged_in_at + 1` })
      .execute();
  const counted = async () =>
    (await database.selectFrom("login_sources").select("logged_in_at").executeTakeFirstOrThrow()).logged_in_at;
  const setting = async (on: Database, name: string) =>
    (await sql<{ value: string }>`select current_setting(${name}) as value`.execute(on)).rows[0]?.value;

  describe("returns", function () {
    it("the same numbers and bytes as the embedded engine", async () => {
      const { rows } = await sql`
        select 9007199254740991::bigint as big, sum(x) as sum, '\\x00ff'::bytea as bytes, count(*) as count
        from (values (1::bigint), (2)) as numbers (x)`.execute(database);
      assert.deepEqual(rows, [{ big: Number.MAX_SAFE_INTEGER, sum: 3, bytes: new Uint8Array([0, 255]), count: 2 }]);
    });

    it("an error for an inexact number", async () => {
      for (const text of ["9007199254740992::bigint", "0.5::numeric", "'NaN'::numeric"]) {
        const thrown = await sql`select ${sql.raw(text)} as number`.execute(database).catch((error: unknown) => error);
        assert.instanceOf(thrown, RangeError, text);
      }
    });

    it("texts with unsupported characters", async () => {
      const row = rowEntry({ rowId: 1n, sender: ADDRESS, code: "a\0b", topic: "t", createdAt: "", payload: "" });
      await recordIndexStore(database, KEY, "events").apply({
        entries: [row],
        after: undefined,
        to: 1,
        hash: new Uint8Array(32),
        head: 1,
      });
      const { proofs } = createJournal(database, KEY, ADDRESSES);
      for (const phrase of ["a\0b", "a*", "*\0b", "*"]) {
        const found = await searchRecords(database, { field: "code", pattern: parseSearchPattern(phrase), limit: 10 });
        assert.deepEqual(
          found.map(({ code }) => code),
          ["a\u2400b"],
          phrase,
        );
      }
      assert.isEmpty(await proofs.byDocument("\0"));
    });
  });

  describe("serializes writes", function () {
    beforeEach(() => database.insertInto("login_sources").values(ROW).execute());

    it("with stable reads in a transaction, also against single statements", async () => {
      const transaction = () =>
        database.transaction().execute(async (on) => {
          const { logged_in_at } = await on
            .selectFrom("login_sources")
            .select("logged_in_at")
            .executeTakeFirstOrThrow();
          await sleep(5);
          await on
            .updateTable("login_sources")
            .set({ logged_in_at: logged_in_at + 1 })
            .execute();
        });
      await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? transaction() : count(database))));
      assert.equal(await counted(), 40);
    });

    it("without blocking reads", async () => {
      await database.transaction().execute(async (on) => {
        await count(on);
        assert.equal(await counted(), 0);
      });
      assert.equal(await counted(), 1);
    });

    it("and continues after a failed or disconnected transaction", async () => {
      const failing = database.transaction().execute(() => Promise.reject(new Error("no")));
      assert.match(String(await failing.catch((error: unknown) => error)), /no/);
      const refused = await database
        .insertInto("login_sources")
        .values(ROW)
        .execute()
        .catch((error: unknown) => error);
      assert.match(String(refused), /duplicate/);
      const cut = database.transaction().execute(async (on) => {
        await count(on);
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on);
        await cluster.query(`select pg_terminate_backend(${rows[0]?.pid})`);
        await count(on);
      });
      assert.instanceOf(await cut.catch((error: unknown) => error), Error);
      await count(database);
      assert.equal(await counted(), 1);
    });

    it("and rejects a transaction that waits or blocks for too long", async () => {
      const settings = await database
        .transaction()
        .execute(async (on) => [
          await setting(on, "lock_timeout"),
          await setting(on, "idle_in_transaction_session_timeout"),
        ]);
      assert.deepEqual(settings, ["30s", "20s"]);
    });
  });

  it("flushes a commit to disk before it returns, and reads committed rows, under any configuration", async () => {
    assert.deepEqual(
      [await setting(database, "synchronous_commit"), await setting(database, "transaction_isolation")],
      ["off", "repeatable read"],
    );
    const inside = await database
      .transaction()
      .execute(async (on) => [await setting(on, "synchronous_commit"), await setting(on, "transaction_isolation")]);
    assert.deepEqual(inside, ["on", "read committed"]);
  });

  it("counts proofs correctly despite gaps in the numbers after rollbacks", async () => {
    const journal = createJournal(database, KEY, ADDRESSES);
    const insert = async (n: number, fails: boolean): Promise<void> => {
      const hash = Buffer.alloc(32, n);
      const work = journal.atomically(async (atomic) => {
        const anchorId = await atomic.anchors.open(1);
        await atomic.proofs.insert([
          {
            documentId: `${n}`,
            hash,
            recordHash: hash,
            metadata: { timestamp: 1 },
            acceptedAt: 1,
            anchorId,
            leafIndex: 0,
          },
        ]);
        if (fails) throw new Error("no");
      });
      await work.catch((error: unknown) => assert.match(String(error), /no/));
    };
    for (let n = 0; n < 6; n += 1) {
      await insert(n, n % 2 === 0);
      const counts = await Promise.all([journal.proofs.counts(), journal.proofs.counts()]);
      for (const { records } of counts) assert.equal(records, Math.ceil(n / 2));
    }
  });

  it("recovers from the loss of all connections, in use or not", async () => {
    const name = new URL(empty.url).pathname.slice(1);
    await Promise.all(Array.from({ length: 5 }, () => sql`select pg_sleep(0.05)`.execute(database)));
    const used = sql`select pg_sleep(30)`.execute(database).catch((error: unknown) => error);
    await eventually(async () => {
      const [row] = await cluster.query(
        `select count(*)::integer as busy from pg_stat_activity where datname = '${name}' and state = 'active'`,
      );
      assert.equal(row?.["busy"], 1);
    });
    await cluster.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    assert.propertyVal(await used, "code", "journal_unavailable");
    await eventually(async () => assert.equal(await createJournal(database, KEY, ADDRESSES).records.count(), 0));
  });

  it("fails after a timeout without a response, but not while its connections are idle", async () => {
    const impatient = new Kysely<unknown>({ dialect: postgresDialect(empty.url, 300) });
    const thrown = await sql`select pg_sleep(20)`.execute(impatient).catch((error: unknown) => error);
    if (!(thrown instanceof SealbookError)) return assert.fail(String(thrown));
    assert.equal(thrown.code, "journal_unavailable");
    assert.match(String(thrown.cause), /no response for 0.3 s/);
    for (const pause of [0, 500]) {
      await sleep(pause);
      await sql`select 1`.execute(impatient);
    }
    await impatient.destroy();
  });

  describe("rejects the start, with the reason and without the password", function () {
    const refusal = async (url: string): Promise<string> => {
      const error = await openPostgres(url).then(
        (opened) => opened.destroy(),
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof SealbookError)) return assert.fail(`opened, or ${String(error)}`);
      assert.equal(error.code, "config_invalid");
      assert.include(error.message, "DATABASE_URL");
      assert.notInclude(
        `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`,
        new URL(url).password || "-",
        "no secret",
      );
      return error.message;
    };
    const changed = (change: (url: URL) => void): string => {
      const url = new URL(empty.url);
      change(url);
      return url.href;
    };

    it("of an unreachable server", async () => {
      assert.match(await refusal(changed((url) => (url.port = "1"))), /ECONNREFUSED/);
      assert.match(await refusal(changed((url) => (url.hostname = "nowhere.invalid"))), /nowhere\.invalid/);
    });

    it("for a wrong password or database", async () => {
      assert.match(await refusal(changed((url) => (url.password = "wrong-secret"))), /password authentication failed/);
      assert.match(await refusal(changed((url) => (url.pathname = "/missing"))), /"missing" does not exist/);
    });

    it("for missing privileges", async () => {
      const role = `role_${Date.now()}`;
      await cluster.query(`create role ${role} login password 'role-secret'`);
      const url = changed((each) => Object.assign(each, { username: role, password: "role-secret" }));
      assert.match(await refusal(url), /permission denied/);
    });

    it("for an encoding other than Unicode", async () => {
      await cluster.query("create database latin encoding 'LATIN1' locale_provider libc locale 'C' template template0");
      assert.match(await refusal(changed((url) => (url.pathname = "/latin"))), /LATIN1/);
      await cluster.query("drop database latin");
    });
  });

  it("needs only the documented privileges, also for proofs with labels", async () => {
    const { username } = new URL(empty.url);
    const rights = await cluster.query(
      `select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls from pg_roles where rolname = '${username}'`,
    );
    assert.deepEqual(rights, [{ rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolbypassrls: false }]);
    const opened = await openPostgres(empty.url);
    const journal = createJournal(opened, KEY, ADDRESSES);
    assert.equal(await journal.records.highestRowId(), 0n);
    const hash = Buffer.alloc(32, 1);
    const metadata = { type: "contract", source: "archive", timestamp: 1 };
    await journal.atomically(async (atomic) => {
      const anchorId = await atomic.anchors.open(1);
      const position = { anchorId, leafIndex: 0 };
      await atomic.proofs.insert([{ documentId: "d", hash, recordHash: hash, metadata, acceptedAt: 1, ...position }]);
    });
    assert.deepEqual((await journal.proofs.byDocument("d"))[0]?.metadata, metadata);
    await opened.destroy();
  });
});
