import { mock } from "node:test";
import { assert } from "chai";
import { PartitionMaintenance } from "../../../../server/journal/index/partition-maintenance.ts";

const HOUR = 60 * 60_000;

describe("the keeper of months", function () {
  beforeEach(() => mock.timers.enable({ apis: ["setInterval"] }));
  afterEach(() => mock.timers.reset());

  it("prepares them every hour, also after it failed, and not once it was stopped", async () => {
    let prepared = 0;
    const failures: unknown[] = [];
    const keeper = new PartitionMaintenance(
      async () => {
        prepared += 1;
        if (prepared === 2) throw new Error("the database is away");
      },
      (error) => failures.push(error),
    );
    keeper.start();
    for (let hour = 0; hour < 3; hour += 1) {
      mock.timers.tick(HOUR);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(prepared, 3);
    assert.match(String(failures), /away/);
    await keeper.stop();
    mock.timers.tick(2 * HOUR);
    assert.equal(prepared, 3);
    assert.lengthOf(failures, 1);
  });
});
