import { assert } from "chai";
import { FailureTracker } from "../../../server/sessions/failed-logins.ts";
import { knownSources, loginFailureStore } from "../../../server/sessions/login-store.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";

for (const engine of ENGINES)
  describe(`store of logins, on ${engine}`, () => {
    let test: TestDatabase;
    let now: number;
    beforeEach(async () => {
      test = await openTestDatabase(engine);
      now = Date.parse("2026-11-21");
    });
    afterEach(() => test.close());

    const keys = async (): Promise<string[]> =>
      (await test.database.selectFrom("login_failures").select("key").orderBy("key").execute()).map(({ key }) => key);

    it("counts concurrent failures of all relayers, and locks out on all of them", async () => {
      const trackers = [1, 2].map(
        () =>
          new FailureTracker({
            most: 10,
            clock: () => now,
            store: loginFailureStore(test.database, { clock: () => now }),
          }),
      );
      await Promise.all(trackers.flatMap((tracker) => Array.from({ length: 4 }, () => tracker.add("a"))));
      for (const tracker of trackers) assert.deepEqual(await tracker.allowanceOf("a"), { left: 2, lockedFor: 0 });
      await Promise.all(trackers.map((tracker) => tracker.add("a")));
      for (const tracker of trackers) assert.deepEqual(await tracker.allowanceOf("a"), { left: 0, lockedFor: 60_000 });
      await trackers[0]?.forgive("a");
      assert.deepEqual(await trackers[1]?.allowanceOf("a"), { left: 10, lockedFor: 0 });
      assert.isEmpty(await keys());
    });

    it("stores a bounded number of keys, those with the newest failures", async () => {
      const store = loginFailureStore(test.database, { clock: () => now, maxKeys: 3 });
      const tracker = new FailureTracker({ most: 1, clock: () => now, store });
      for (let n = 1; n <= 257; n += 1) {
        now += 1;
        await tracker.add(`key ${n}`);
      }
      assert.deepEqual(await keys(), ["key 255", "key 256", "key 257"]);
    });

    it("deletes keys that are forgotten", async () => {
      const store = loginFailureStore(test.database, { clock: () => now });
      const tracker = new FailureTracker({ most: 1, clock: () => now, store });
      await tracker.add("old");
      now += 2 * 86_400_000;
      for (let n = 0; n < 256; n += 1) await tracker.add("new");
      assert.deepEqual(await keys(), ["new"]);
    });

    it("remembers the newest sources of a login", async () => {
      const sources = knownSources(test.database);
      for (let n = 0; n < 25; n += 1) await sources.add("0xa", `10.0.0.${n}`, n);
      await sources.add("0xb", "10.0.0.0", 0);
      assert.isFalse(await sources.has("0xa", "10.0.0.4"));
      assert.isTrue(await sources.has("0xa", "10.0.0.5"));
      assert.isFalse(await sources.has("0xa", "10.0.0.0"));
      assert.isTrue(await sources.has("0xb", "10.0.0.0"));
      await sources.add("0xa", "10.0.0.5", 100);
      await sources.add("0xa", "10.0.0.99", 101);
      assert.isTrue(await sources.has("0xa", "10.0.0.5"));
      assert.isFalse(await sources.has("0xa", "10.0.0.6"));
    });
  });
