import { assert } from "chai";
import { SealbookError } from "../../../server/errors.ts";
import { keyedCall, keyedCallStore } from "../../../server/journal/keyed-calls.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { rejection } from "../../client/fake-server.ts";

const DAY_MILLISECONDS = 24 * 3_600_000;

for (const engine of ENGINES)
  describe(`keyed calls, on ${engine}`, () => {
    let open: TestDatabase;
    before(async () => {
      open = await openTestDatabase(engine);
    });
    after(() => open.close());
    const calls = () => keyedCallStore(open.database);
    const count = async (): Promise<number> =>
      (await open.database.selectFrom("keyed_calls").select("id").execute()).length;

    it("are known by caller and key for 24 hours, with the time of the first one", async () => {
      const call = keyedCall("a", "key", ["store", { code: 1 }]);
      assert.deepEqual(await calls().begin(call, 1_000), 1_000);
      assert.equal(await calls().begin(call, DAY_MILLISECONDS + 999), 1_000);
      const other = keyedCall("b", "key", ["store", { code: 2 }]);
      assert.equal(await calls().begin(other, 2_000), 2_000);
      const error = await rejection(calls().begin({ ...call, digest: other.digest }, 3_000));
      assert.deepInclude(error, { code: "key_reused" });
      assert.instanceOf(error, SealbookError);
      const later = DAY_MILLISECONDS + 1_000;
      assert.equal(await calls().begin({ ...call, digest: other.digest }, later), later);
    });

    it("are deleted afterwards, a few with each new one", async () => {
      await open.database.deleteFrom("keyed_calls").execute();
      const begin = (from: number, to: number, now: number) =>
        Promise.all(
          Array.from({ length: to - from }, (_, n) => calls().begin(keyedCall("a", String(from + n), ["x", 0]), now)),
        );
      await begin(0, 50, 0);
      await begin(50, 53, DAY_MILLISECONDS - 1);
      assert.equal(await count(), 53);
      for (let n = 53; n < 63; n += 1) await begin(n, n + 1, DAY_MILLISECONDS);
      assert.equal(await count(), 13);
    });
  });
