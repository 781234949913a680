import { assert } from "chai";
import { chatStore } from "../../../server/bot/chat-store.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

for (const engine of ENGINES)
  describe(`the bot's store, on ${engine}`, function () {
    let opened: TestDatabase;
    let store: ReturnType<typeof chatStore>;
    before(async () => {
      opened = await openTestDatabase(engine);
      store = chatStore(opened.database);
    });
    after(() => opened.close());

    it("accepts an update once, also after its reply", async () => {
      const [one, two] = [
        { number: 7, body: bytes(1) },
        { number: 8, body: bytes(2) },
      ];
      assert.deepEqual(
        (await store.receive([one, two], 5)).map(({ number }) => number),
        [7, 8],
      );
      assert.deepEqual(await store.receive([two], 6), []);
      await store.saveMemo(8, bytes(9));
      const waiting = await store.pendingUpdates();
      assert.deepEqual(
        waiting.map(({ number, body, memo }) => [number, [...body], memo && [...memo]]),
        [
          [7, [1], undefined],
          [8, [2], [9]],
        ],
      );
      await store.completeUpdate(7);
      assert.deepEqual(await store.receive([one], 7), []);
      assert.deepEqual(
        (await store.pendingUpdates()).map(({ number }) => number),
        [8],
      );
    });

    it("deletes old processed updates, and no waiting ones", async () => {
      await store.deleteUpdatesBefore(1_000);
      assert.deepEqual(
        (await store.pendingUpdates()).map(({ number }) => number),
        [8],
      );
      assert.lengthOf(await store.receive([{ number: 7, body: bytes(1) }], 8), 1);
    });

    it("stores users with ids of any size, and each account once", async () => {
      const id = 2 ** 52 - 1;
      await store.saveUser(id, bytes(1), undefined);
      await store.saveUser(id, bytes(2), "0xab");
      assert.deepEqual([...((await store.user(id)) ?? [])], [2]);
      assert.isUndefined(await store.user(1));
      assert.equal(await store.users(), 1);
      const refused = await store.saveUser(2, bytes(3), "0xab").then(
        () => false,
        () => true,
      );
      assert.isTrue(refused);
    });

    it("stores the deletions of messages until they are removed", async () => {
      const group = { chat: -(2 ** 51), message: 7, dueAt: 2 };
      const person = { chat: 1, message: 7, dueAt: 3 };
      await store.addDeletions([]);
      await store.addDeletions([group, person]);
      assert.sameDeepMembers(await store.deletions(), [group, person]);
      await store.removeDeletion(group);
      assert.deepEqual(await store.deletions(), [person]);
    });
  });
