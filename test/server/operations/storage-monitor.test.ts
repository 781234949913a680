import { assert } from "chai";
import { sql } from "kysely";
import { probeDatabase, StorageMonitor } from "../../../server/operations/storage-monitor.ts";
import { openTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";

describe("the monitor of the journal's storage", () => {
  const scene = (probe: () => Promise<void>) => {
    const events: string[] = [];
    let isFailing = false;
    const disk = { free: 10e9, fault: undefined as string | undefined, lack: undefined as string | undefined };
    const monitor = new StorageMonitor({
      fault: () => disk.fault,
      isFailing: () => isFailing,
      probe,
      freeBytes: async () => disk.free,
      minimumFreeBytes: 200e6,
      lowFreeBytes: 1e9,
      onSpace: (lack) => void (disk.lack = lack),
      telemetry: {
        journalProbed: (error) => void (isFailing = error !== undefined),
        storageFailing: (reason) => void events.push(reason),
        storageRestored: () => void events.push("restored"),
      },
    });
    return { monitor, disk, events };
  };

  it("reports a read-only database, and its end", async () => {
    const { database, close } = await openTestDatabase();
    const { monitor, events } = scene(() => probeDatabase(database, Date.now));
    try {
      await sql`pragma query_only = on`.execute(database);
      await monitor.start();
      assert.isFalse(monitor.state().writable);
      assert.match(String(monitor.state().fault), /readonly database/);
      assert.throws(() => monitor.assertReady(), "the journal cannot be stored");
      await sql`pragma query_only = off`.execute(database);
      await eventually(async () => assert.equal(events.at(-1), "restored"));
      monitor.assertReady();
    } finally {
      await monitor.stop();
      await close();
    }
  });

  it("is not ready with too little free space, while the journal is still written", async () => {
    const { monitor, disk, events } = scene(async () => undefined);
    disk.free = 150e6;
    await monitor.start();
    try {
      assert.deepInclude(monitor.state(), { writable: true, freeBytes: 150e6 });
      assert.match(String(monitor.state().fault), /less than 200 MB free; nothing new is accepted/);
      assert.equal(disk.lack, monitor.state().fault);
      assert.throws(() => monitor.assertReady(), "less than 200 MB free");
      disk.free = 300e6;
      await eventually(async () => assert.isUndefined(disk.lack));
      monitor.assertReady();
      assert.match(events.at(-1) ?? "", /less than 1000 MB free; free some/);
      disk.free = 1.05e9;
      await monitor.stop();
      await monitor.start();
      assert.match(events.at(-1) ?? "", /less than 1000 MB free/, "it does not come and go");
      disk.free = 1.2e9;
      await eventually(async () => assert.equal(events.at(-1), "restored"));
    } finally {
      await monitor.stop();
    }
  });

  it("reports missing files immediately, not at the next check", async () => {
    const { monitor, disk } = scene(async () => undefined);
    await monitor.start();
    try {
      monitor.assertReady();
      disk.fault = "sealbook.sqlite was deleted";
      assert.throws(() => monitor.assertReady());
    } finally {
      await monitor.stop();
    }
  });
});
