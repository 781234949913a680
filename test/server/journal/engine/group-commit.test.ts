import { setImmediate } from "node:timers/promises";
import { assert } from "chai";
import { Kysely, sql } from "kysely";
import { GroupCommit } from "../../../../server/journal/engine/group-commit.ts";
import type { Schema } from "../../../../server/journal/engine/schema.ts";
import { sqliteDialect } from "../../../../server/journal/engine/sqlite.ts";
import { removeDirectory, temporaryDirectory } from "../../../support/directory.ts";

describe("a commit of several callers", () => {
  let directory: string;
  let database: Kysely<Schema>;
  let group: GroupCommit;
  before(async () => {
    directory = await temporaryDirectory();
  });
  beforeEach(() => {
    database = new Kysely({ dialect: sqliteDialect(`${directory}/group.sqlite`) });
    group = new GroupCommit(database);
  });
  afterEach(() => database.destroy());
  after(() => removeDirectory(directory));

  const busy = (milliseconds: number): void => {
    for (const end = performance.now() + milliseconds; performance.now() < end;);
  };

  it("has the work that arrives together", async () => {
    const commits = await Promise.all([1, 2, 3].map(() => group.run(async (transaction) => transaction)));
    assert.equal(new Set(commits).size, 1);
  });

  it("ends after a while, so that other work has its turn", async () => {
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      for (; !isDone; turns += 1) await setImmediate();
    })();
    const order: number[] = [];
    const works = Array.from({ length: 10 }, (_, number) =>
      group.run(async (transaction) => {
        busy(15);
        order.push(number);
        return transaction;
      }),
    );
    const commits = await Promise.all(works);
    isDone = true;
    await counting;
    assert.isAtLeast(new Set(commits).size, 5);
    assert.isAtLeast(turns, 5);
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
    );
  });

  it("fails for the caller whose work fails, and for no other", async () => {
    const outcomes = await Promise.allSettled([
      group.run(async () => 1),
      group.run(async (transaction) => sql`select * from nothing`.execute(transaction)),
      group.run(async () => 3),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
  });

  it("fails for all when it cannot begin", async () => {
    await group.run(async () => undefined);
    await database.destroy();
    const outcomes = await Promise.allSettled([1, 2].map((number) => group.run(async () => number)));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected"],
    );
  });
});
