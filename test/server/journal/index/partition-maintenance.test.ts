import { mock } from "node:test";
import { assert } from "chai";
import { PartitionMaintenance } from "../../../../server/journal/index/partition-maintenance.ts";

const HOUR = 60 * 60_000;

describe("the maintenance of monthly partitions", function () {
  beforeEach(() => mock.timers.enable({ apis: ["setInterval"] }));
  afterEach(() => mock.timers.reset());

  it("creates them every hour, also after a failure, and stops on request", async () => {
    let prepared = 0;
    const failures: unknown[] = [];
    const maintenance = new PartitionMaintenance(
      async () => {
        prepared += 1;
        if (prepared === 2) throw new Error("the database is unavailable");
      },
      (error) => failures.push(error),
    );
    maintenance.start();
    for (let hour = 0; hour < 3; hour += 1) {
      mock.timers.tick(HOUR);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(prepared, 3);
    assert.match(String(failures), /unavailable/);
    await maintenance.stop();
    mock.timers.tick(2 * HOUR);
    assert.equal(prepared, 3);
    assert.lengthOf(failures, 1);
  });
});
