import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { Kysely, SqliteDialect } from "kysely";
import { durableCommits } from "../../../../server/journal/engine/durable-commits.ts";

interface Schema {
  things: { id: number };
}

/** A database in memory whose disk is in the hands of the test. */
function open() {
  const engine = new DatabaseSync(":memory:");
  engine.exec("create table things (id integer primary key)");
  const waiting: { resolve(): void; reject(reason: Error): void }[] = [];
  let syncs = 0;
  const dialect = new SqliteDialect({
    database: {
      close: () => engine.close(),
      prepare(text) {
        const statement = engine.prepare(text);
        const values = (parameters: readonly unknown[]) => parameters.map(Number);
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...values(parameters)),
          run: (parameters) =>
            text === "rollback" && !engine.isTransaction
              ? { changes: 0, lastInsertRowid: 0 }
              : statement.run(...values(parameters)),
          iterate: (parameters) => statement.iterate(...values(parameters)),
        };
      },
    },
  });
  const sync = (): Promise<void> => {
    syncs += 1;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ resolve, reject });
    return promise;
  };
  const database = new Kysely<Schema>({ dialect: durableCommits(dialect, { sync, assertWritable: () => undefined }) });
  return { database, engine, waiting, syncs: () => syncs };
}

/** Whether a promise is settled after some turns of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe("a commit", () => {
  it("returns and becomes visible only when the log is on disk", async () => {
    const { database, engine, waiting } = open();
    const commit = database.transaction().execute((on) => on.insertInto("things").values({ id: 1 }).execute());
    const reader = database.selectFrom("things").select("id").execute();
    expect(await isSettled(commit)).to.equal(false);
    expect(engine.isTransaction, "the engine has it").to.equal(false);
    expect(await isSettled(reader)).to.equal(false);
    waiting.pop()?.resolve();
    await commit;
    expect(await reader).to.deep.equal([{ id: 1 }]);
    await database.destroy();
  });

  it("is synced once with any content; reads cause no sync", async () => {
    const { database, waiting, syncs } = open();
    const commit = database.transaction().execute(async (on) => {
      for (const id of [1, 2, 3]) await on.insertInto("things").values({ id }).execute();
      expect(await on.selectFrom("things").select("id").execute()).to.have.length(3);
    });
    await isSettled(commit);
    waiting.pop()?.resolve();
    await commit;
    await database.selectFrom("things").selectAll().execute();
    expect(syncs()).to.equal(1);
    await database.destroy();
  });

  it("of a single statement is synced too", async () => {
    const { database, waiting } = open();
    for (const statement of [
      () => database.insertInto("things").values({ id: 1 }).returning("id").execute(),
      () => database.updateTable("things").set({ id: 2 }).execute(),
      () => database.deleteFrom("things").execute(),
    ]) {
      const done = statement();
      expect(await isSettled(done)).to.equal(false);
      waiting.pop()?.resolve();
      await done;
    }
    await database.destroy();
  });

  it("fails when the disk fails, and the next one continues", async () => {
    const { database, waiting } = open();
    const insert = (id: number) =>
      database.transaction().execute((on) => on.insertInto("things").values({ id }).execute());
    const failing = insert(1);
    await isSettled(failing.catch(() => undefined));
    waiting.pop()?.reject(new Error("input/output error"));
    expect(await failing.catch((error: unknown) => String(error))).to.include("input/output error");
    const next = insert(2);
    await isSettled(next);
    waiting.pop()?.resolve();
    await next;
    await database.destroy();
  });

  it("is not synced after a rollback", async () => {
    const { database, syncs } = open();
    const undone = database.transaction().execute(async (on) => {
      await on.insertInto("things").values({ id: 1 }).execute();
      throw new Error("no");
    });
    expect(await undone.catch((error: unknown) => String(error))).to.include("no");
    expect(await database.selectFrom("things").selectAll().execute()).to.deep.equal([]);
    expect(syncs()).to.equal(0);
    await database.destroy();
  });
});
