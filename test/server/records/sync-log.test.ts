import { assert } from "chai";
import { SyncLog } from "../../../server/records/sync-log.ts";

describe("log of the event indexer", () => {
  it("has the steps newest first, with their times; blocks without rows make one", () => {
    let time = 0;
    const log = new SyncLog(() => (time += 1));
    log.add({ kind: "resumed", after: 4, head: 6 });
    log.add({ kind: "indexed", from: 5, to: 6, rows: 0 });
    log.add({ kind: "indexed", from: 7, to: 7, rows: 0 });
    log.add({ kind: "indexed", from: 8, to: 8, rows: 2 });
    log.add({ kind: "indexed", from: 9, to: 9, rows: 0 });
    log.add({ kind: "failing", reason: "no node" });
    log.add({ kind: "failing", reason: "no node" });
    log.add({ kind: "rebuilding", reason: "another chain" });
    assert.deepEqual(log.newest(10), [
      { kind: "rebuilding", reason: "another chain", time: 8 },
      { kind: "failing", reason: "no node", time: 7 },
      { kind: "indexed", from: 9, to: 9, rows: 0, time: 5 },
      { kind: "indexed", from: 8, to: 8, rows: 2, time: 4 },
      { kind: "indexed", from: 5, to: 7, rows: 0, time: 3 },
      { kind: "resumed", after: 4, head: 6, time: 1 },
    ]);
    assert.lengthOf(log.newest(2), 2);
  });

  it("keeps a limited number of steps", () => {
    const log = new SyncLog(() => 0);
    for (let block = 1; block <= 1_000; block += 1) log.add({ kind: "indexed", from: block, to: block, rows: 1 });
    const steps = log.newest(1_000);
    assert.isAtMost(steps.length, 100);
    assert.deepInclude(steps[0], { to: 1_000 });
  });
});
